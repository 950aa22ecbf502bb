/** An HTTP request as API Gateway (REST, Lambda proxy integration) hands it to a function. */
import type { IncomingMessage } from 'node:http'
import { ACCOUNT } from './resource-types.ts'
import type { Match, RestApi, Route } from './rest-api.ts'

/** Headers that concern one connection only; API Gateway passes them in neither direction. */
export const HOP_BY_HOP = new Set([
  'connection',
  'expect',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

type Multi = Record<string, string[]>

export interface ProxyRequest {
  api: RestApi
  route: Route
  parameters: Match['parameters']
  request: IncomingMessage
  /** Without the stage and the query. */
  path: string
  query: string
  body: Buffer
  requestId: string
}

/** The event of payload format 1.0. Path parameters stay percent-encoded and query parameters are decoded, as in AWS. */
export function proxyEvent({ api, route, parameters, request, path, query, body, requestId }: ProxyRequest): object {
  const sourceIp = request.socket.remoteAddress?.replace(/^::ffff:/, '') ?? '127.0.0.1'
  const headers = headersOf(request, sourceIp)
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
      accountId: ACCOUNT,
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

/** Whether a media type is one of those the API treats as bytes; a star may stand for a part. */
export function isBinary(contentType: string | undefined, binaryTypes: string[]): boolean {
  const type = (contentType ?? '').split(/[;,]/)[0]?.trim().toLowerCase() ?? ''
  return binaryTypes.some((binary) => {
    if (binary === '*/*' || binary === type) return true
    return binary.endsWith('/*') && type.startsWith(binary.slice(0, -1))
  })
}

function headersOf(request: IncomingMessage, sourceIp: string): Multi {
  const headers: Multi = Object.create(null)
  const { rawHeaders } = request
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] ?? ''
    if (HOP_BY_HOP.has(name.toLowerCase())) continue
    const key = Object.keys(headers).find((known) => known.toLowerCase() === name.toLowerCase()) ?? name
    const values = headers[key] ?? []
    values.push(rawHeaders[i + 1] ?? '')
    headers[key] = values
  }
  const before = Object.keys(headers).find((name) => name.toLowerCase() === 'x-forwarded-for') ?? 'X-Forwarded-For'
  headers[before] = [[...(headers[before] ?? []), sourceIp].join(', ')]
  headers['X-Forwarded-Proto'] = ['http']
  return headers
}

function parseQuery(query: string): Multi {
  const parameters: Multi = Object.create(null)
  for (const [name, value] of new URLSearchParams(query)) {
    const values = parameters[name] ?? []
    values.push(value)
    parameters[name] = values
  }
  return parameters
}

function lastOf(multi: Multi): Record<string, string> {
  return Object.fromEntries(Object.entries(multi).map(([name, values]) => [name, values.at(-1) ?? '']))
}

function orNull<T extends object>(record: T): T | null {
  return Object.keys(record).length === 0 ? null : record
}
