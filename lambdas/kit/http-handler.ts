import middy from '@middy/core'
import { executionModeStreamifyResponse } from '@middy/core/StreamifyResponse'
import type { APIGatewayProxyEvent, Context } from 'aws-lambda'
import type { Area } from './area.ts'
import type { AuthPorts } from './authenticate.ts'
import { pipeline } from './pipeline.ts'
import { type ReadableBody, readable } from './readable.ts'
import type { HttpRequest, HttpResponse } from './request.ts'

/** Handles an event of API Gateway; a streaming handler writes its response and returns nothing. */
type LambdaHandler = (event: unknown, context: object) => Promise<unknown>

export function httpHandler(area: Area, deps: AuthPorts): LambdaHandler {
  const handle = pipeline(area, deps)
  // A function is frozen when its handler ends, so the handler waits for work that continues after the client has left.
  const requestEnd = ({ internal }: middy.Request) => (internal as Internal).done // safe because `after` below sets it
  const handler = middy<APIGatewayProxyEvent, HttpResponse | ProxyResult, Error, Context, Internal>(
    // The pipeline watches the remaining time, so that a timeout is answered like any other error.
    { timeoutEarlyInMillis: 0, ...(area.stream && { executionMode: executionModeStreamifyResponse, requestEnd }) },
  )
    .handler((event, context) => handle(toRequest(event), context))
    .after((invocation) => {
      const response = invocation.response as HttpResponse // safe because the handler above gives one
      const { body, done } = readable(response.body)
      invocation.internal.done = done
      invocation.response = toProxyResult({ ...response, body })
    })
  return handler as unknown as LambdaHandler // safe because API Gateway alone invokes it, and both modes answer a promise
}

type Internal = { done?: Promise<void> }

const toRequest = (event: APIGatewayProxyEvent): HttpRequest => ({
  id: event.requestContext.requestId,
  ip: event.requestContext.identity.sourceIp,
  method: event.httpMethod,
  headers: present(event.headers, (name) => name.toLowerCase()),
  // A slash at the end makes no difference for the route.
  target: event.path.replace(/(?<=.)\/$/, ''),
  route: event.resource,
  parameters: present(event.pathParameters),
  query: present(event.queryStringParameters),
  body: event.isBase64Encoded ? Buffer.from(event.body ?? '', 'base64').toString('utf8') : (event.body ?? ''),
})

interface ProxyResult {
  statusCode: number
  headers: Record<string, string>
  multiValueHeaders?: Record<string, string[]>
  body: ReadableBody['body']
}

const toProxyResult = ({
  status,
  headers,
  cookies,
  body,
}: Omit<HttpResponse, 'body'> & Pick<ReadableBody, 'body'>): ProxyResult => ({
  statusCode: status,
  headers,
  ...(cookies.length > 0 && { multiValueHeaders: { 'Set-Cookie': cookies } }),
  body,
})

const present = (
  values: Record<string, string | undefined> | null,
  named = (name: string) => name,
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values ?? {}).flatMap(([name, value]) => (value === undefined ? [] : [[named(name), value]])),
  )
