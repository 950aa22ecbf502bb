/** An HTTP request as the event of a function (REST API, Lambda proxy integration). */
import type { IncomingMessage } from 'node:http'
import { headersOf, lastOf, parseQuery, sourceIpOf } from '../../emulators/aws/gateway-event.ts'
import { account } from '../template/resource-types.ts'
import type { Match, RestApi, Route } from './rest-api.ts'
import { noViewerFunction, type ViewerFunction } from './viewer-function.ts'

interface ProxyRequest {
  api: RestApi
  route: Route
  parameters: Match['parameters']
  request: IncomingMessage
  /** Without the stage and the query. */
  path: string
  query: string
  body: Buffer
  requestId: string
  viewer?: ViewerFunction
}

/** Payload format 1.0. Path parameters stay percent-encoded and query parameters are decoded, as in AWS. */
export function proxyEvent(given: ProxyRequest): object {
  const { api, route, parameters, request, path, query, body, requestId, viewer = noViewerFunction } = given
  const sourceIp = sourceIpOf(request)
  const headers = headersOf(request, sourceIp)
  const atEdge = viewer(request, sourceIp)
  for (const name of Object.keys(headers)) if (Object.hasOwn(atEdge, name.toLowerCase())) delete headers[name]
  for (const [name, value] of Object.entries(atEdge)) if (value !== undefined) headers[name] = [value]
  const queryParameters = parseQuery(query)
  const binary = isBinary(request.headers['content-type'], api.binaryTypes)
  const now = new Date()
  return {
    resource: route.path,
    path,
    httpMethod: request.method,
    headers: lastOf(headers),
    multiValueHeaders: headers,
    queryStringParameters: orNull(lastOf(queryParameters)),
    multiValueQueryStringParameters: orNull(queryParameters),
    pathParameters: orNull(parameters),
    stageVariables: null,
    requestContext: {
      accountId: account,
      apiId: api.id,
      domainName: request.headers.host,
      domainPrefix: 'local',
      extendedRequestId: requestId,
      httpMethod: request.method,
      identity: { sourceIp, userAgent: request.headers['user-agent'] ?? null },
      operationName: route.operation || undefined,
      path: `/${api.stage}${path}`,
      protocol: `HTTP/${request.httpVersion}`,
      requestId,
      requestTime: now.toUTCString(),
      requestTimeEpoch: now.getTime(),
      resourceId: route.path,
      resourcePath: route.path,
      stage: api.stage,
    },
    body: body.length === 0 ? null : body.toString(binary ? 'base64' : 'utf8'),
    isBase64Encoded: binary && body.length > 0,
  }
}

/** Whether the API treats a media type as bytes; supports `*`. */
export function isBinary(contentType: string | undefined, binaryTypes: string[]): boolean {
  const type = (contentType ?? '').split(/[;,]/)[0]?.trim().toLowerCase() ?? ''
  return binaryTypes.some((binary) => {
    if (binary === '*/*' || binary === type) return true
    return binary.endsWith('/*') && type.startsWith(binary.slice(0, -1))
  })
}

const orNull = <T extends object>(record: T): T | null => (Object.keys(record).length === 0 ? null : record)
