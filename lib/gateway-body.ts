import { Fn } from 'aws-cdk-lib/core'
import { DomainError } from '../domain/errors.ts'
import type { Area } from '../lambdas/kit/area.ts'
import { toErrorBody } from '../lambdas/kit/errors.ts'
import { pathParameters } from '../lambdas/kit/parameters.ts'
import { gatewayResponses } from './gateway-responses.ts'

/** How long API Gateway lets a streamed response take, in milliseconds; a buffered one has its default of 29 seconds. */
const streamLimitMs = 900_000

/**
 * What API Gateway imports: each address of each operation with its function, and a 405 for every other method.
 * Schemas and examples are in openapi.yaml only: nothing is validated here, and a template that holds its API inline is bounded in bytes.
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
          // A document's operation ids are unique, so an alias carries its number.
          operationId: index === 0 ? id : `${id}-${index + 1}`,
          ...parametersOf(path),
          'x-amazon-apigateway-integration': integration,
        }
      }
    }
  }
  for (const [path, methods] of Object.entries(paths)) {
    methods['x-amazon-apigateway-any-method'] = methodNotAllowed(path, Object.keys(methods))
  }
  return {
    openapi: '3.0.1',
    info: { title, version: '1' },
    paths,
    'x-amazon-apigateway-gateway-responses': gatewayResponses,
  }
}

/**
 * By the function's name, not by a reference to it: functions know the API's address, and neither could be made first.
 */
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

/** The media types clients send unless they are told otherwise; any other gets UNSUPPORTED_MEDIA_TYPE. */
const commonTypes = ['application/json', 'application/x-www-form-urlencoded', 'text/plain']

function methodNotAllowed(path: string, methods: string[]) {
  const allow = methods.map((method) => method.toUpperCase()).join(', ')
  const error = new DomainError('not-found', `This path serves ${allow} and no other method. See /openapi.json.`)
  const headers = { Allow: `'${allow}'`, 'Cache-Control': "'no-store'", 'X-Request-Id': 'context.requestId' }
  const names = Object.keys(headers)
  return {
    ...parametersOf(path),
    responses: {
      405: {
        description: 'Method Not Allowed',
        headers: Object.fromEntries(names.map((name) => [name, { schema: { type: 'string' } }])),
      },
    },
    'x-amazon-apigateway-integration': {
      type: 'mock',
      passthroughBehavior: 'never',
      requestTemplates: Object.fromEntries(commonTypes.map((type) => [type, '{"statusCode": 405}'])),
      responses: {
        default: {
          statusCode: '405',
          responseParameters: Object.fromEntries(
            Object.entries(headers).map(([name, value]) => [`method.response.header.${name}`, value]),
          ),
          responseTemplates: { 'application/json': JSON.stringify(toErrorBody(error)) },
        },
      },
    },
  }
}
