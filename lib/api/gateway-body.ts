import { Fn } from 'aws-cdk-lib/core'
import type { Area } from '../../lambdas/kit/area.ts'
import { pathParameters } from '../../lambdas/kit/parameters.ts'
import { gatewayResponses } from './gateway-responses.ts'

/** API Gateway's time limit of a streamed response, ms; a buffered one has the default of 29 seconds. */
const streamLimitMs = 900_000

const anyMethod = 'x-amazon-apigateway-any-method'

/**
 * The OpenAPI body that API Gateway imports: each path and method with its function. The function also answers all
 * other methods of the path. Schemas and examples are only in openapi.yaml, because functions validate requests and an
 * inline API has a size limit.
 */
export function gatewayBody(title: string, areas: readonly Area[], functionName: (area: Area) => string) {
  const paths: Record<string, Record<string, object>> = {}
  for (const area of areas) {
    const integration = lambdaProxy(functionName(area), area.stream)
    for (const { id, http } of area.operations) {
      for (const [index, path] of [http.path, ...(http.aliases ?? [])].entries()) {
        const methods = paths[path] ?? {}
        paths[path] = methods
        methods[http.method.toLowerCase()] = {
          // Operation ids must be unique in the document, so aliases get a number.
          operationId: index === 0 ? id : `${id}-${index + 1}`,
          ...parametersOf(path),
          'x-amazon-apigateway-integration': integration,
        }
        // The function that serves GET also answers HEAD, and 405 for methods without a route.
        if (methods[anyMethod] && http.method !== 'GET') continue
        methods[anyMethod] = {
          ...parametersOf(path),
          'x-amazon-apigateway-integration': integration,
        }
      }
    }
  }
  for (const area of areas) {
    for (const path of area.unserved?.paths ?? [])
      paths[path] = {
        [anyMethod]: {
          ...parametersOf(path),
          'x-amazon-apigateway-integration': lambdaProxy(functionName(area), area.stream),
        },
      }
  }
  return {
    openapi: '3.0.1',
    info: { title, version: '1' },
    paths,
    'x-amazon-apigateway-gateway-responses': gatewayResponses,
  }
}

/** A name, because a reference would be a cycle: functions refer to the API's address. */
function lambdaProxy(functionName: string, stream: boolean) {
  const arn = `arn:\${AWS::Partition}:lambda:\${AWS::Region}:\${AWS::AccountId}:function:${functionName}`
  const action = stream
    ? `2021-11-15/functions/${arn}/response-streaming-invocations`
    : `2015-03-31/functions/${arn}/invocations`
  return {
    type: 'aws_proxy',
    httpMethod: 'POST',
    uri: Fn.sub(`arn:\${AWS::Partition}:apigateway:\${AWS::Region}:lambda:path/${action}`),
    ...(stream && { responseTransferMode: 'STREAM', timeoutInMillis: streamLimitMs }),
  }
}

function parametersOf(path: string) {
  const parameters = pathParameters(path).map((name) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }))
  return parameters.length > 0 ? { parameters } : {}
}
