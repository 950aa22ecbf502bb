import { PassThrough, type Readable } from 'node:stream'
import middy from '@middy/core'
import { executionModeStreamifyResponse } from '@middy/core/StreamifyResponse'
import type { APIGatewayProxyEvent, Context as LambdaContext } from 'aws-lambda'
import { sessionTtlMs } from '../../domain/account/user.ts'
import { invalid } from '../../domain/errors.ts'
import { renewedClaims } from '../../domain/tokens/machine-token.ts'
import { callerAddress } from './address.ts'
import { type AuthPorts, authenticate, sessionCookieName } from './authenticate.ts'
import { asDomainError, statusOf, toErrorBody } from './errors.ts'
import { type Exchange, type Heard, noteRefusal, openExchange, responseHeaders, routesOf } from './exchange.ts'
import { readInput } from './input.ts'
import { makeLogger, redact } from './log.ts'
import type { Area, Pour, Streamed } from './operation.ts'
import { Refusals } from './refusals.ts'

/** What a function answers API Gateway; a streaming one may answer a stream as its body. */
export interface Reply {
  statusCode: number
  headers: Record<string, string>
  multiValueHeaders?: Record<string, string[]>
  body: string | ReadableStream<Uint8Array> | Readable
}

/** What a function takes; API Gateway itself would take more, and the hub does. */
const maxBodyBytes = 4 * 1024 * 1024

type Handler = (event: unknown, context: LambdaContext) => Promise<unknown>

/** An area's Lambda handler: its routes of API Gateway, through the same middleware for all areas. */
export function serve(area: Area, deps: AuthPorts): Handler {
  const routes = routesOf(area)
  const refusals = new Refusals()
  const logger = makeLogger(area.name)
  const exchanges = new WeakMap<object, Exchange>()
  const pours = new WeakMap<object, Promise<void>>()

  const open = (request: middy.Request) => {
    const event = request.event as APIGatewayProxyEvent // safe because API Gateway alone invokes an area with routes
    exchanges.set(event, openExchange(routes, heardFrom(event), deps.clock.now()))
  }

  const admit = async (request: middy.Request) => {
    const exchange = exchangeOf(request.event)
    exchange.ip = await callerAddress(exchange.ip, exchange.headers, deps.edge)
    exchange.auth = await authenticate(exchange.operation, exchange, deps, exchange.nowMs, refusals)
    const renewed = exchange.auth.claims && renewedClaims(exchange.auth.claims, exchange.nowMs)
    if (renewed && deps.machineTokens) exchange.machineToken = await deps.machineTokens.sign(renewed)
  }

  const answer = async (event: unknown): Promise<Reply> => {
    const exchange = exchangeOf(event)
    const { operation, raw } = exchange
    if (Buffer.byteLength(raw.body) > maxBodyBytes) throw invalid('body', 'send at most 4 MB.')
    const output = await operation.run({
      input: readInput(operation, raw),
      actor: exchange.auth?.actor as never, // safe because authenticate() answers the actor the operation's auth declares
      deps,
      now: exchange.nowMs,
      request: {
        id: exchange.requestId,
        headers: exchange.headers,
        rawBody: raw.body,
        method: exchange.method,
        target: exchange.target,
      },
      setSession: (cookie: string | null) => exchange.cookies.push(setCookie(cookie, deps.settings.production)),
      counted: exchange.counted,
      failed: (error) => noteFault(event, error),
    })
    if (!operation.http.stream) return jsonReply(exchange, output)
    const { status, headers, body } = output as Streamed // safe because stream operations answer a Streamed
    return { statusCode: status, headers, body: typeof body === 'function' ? poured(event, body) : body }
  }

  /** The stream that an operation writes its answer into, which may break before the operation is done. */
  const poured = (event: unknown, pour: Pour): Readable => {
    const into = new PassThrough()
    pours.set(
      event as object, // safe because open() ran on this event
      pour(into).catch((error) => void into.destroy(error)),
    )
    return into
  }

  /** A function is frozen when its handler ends: not before what it was doing for a reader who has left is done. */
  const requestEnd = ({ event }: middy.Request) => pours.get(event as object) // safe because open() ran on this event

  const noteFault = (event: unknown, error: unknown) => {
    const stack = redact(error instanceof Error ? (error.stack ?? error.message) : String(error))
    logger.error('unhandled error', { ...factsOf(event), stack })
  }

  const fail = (request: middy.Request) => {
    const error = asDomainError(request.error)
    if (error.code === 'internal') noteFault(request.event, request.error)
    const exchange = exchanges.get(request.event as object)
    if (exchange && error.retryAfterSeconds !== undefined) noteRefusal(exchange, error.retryAfterSeconds)
    request.response = {
      statusCode: statusOf[error.code],
      headers: {
        'Content-Type': 'application/json',
        ...(error.retryAfterSeconds !== undefined && { 'Retry-After': String(error.retryAfterSeconds) }),
      },
      body: JSON.stringify(toErrorBody(error)),
    } satisfies Reply
  }

  const finish = (request: middy.Request) => {
    const reply = request.response as Reply // safe because answer and fail both leave one
    const exchange = exchanges.get(request.event as object)
    const facts = factsOf(request.event)
    const headers = exchange ? responseHeaders(exchange) : { 'X-Request-Id': facts.requestId }
    reply.headers = { ...headers, ...reply.headers }
    if (exchange?.cookies.length) reply.multiValueHeaders = { 'Set-Cookie': exchange.cookies }
    logger.info('request', {
      ...facts,
      operation: exchange?.operation.id,
      status: reply.statusCode,
      durationMs: exchange ? deps.clock.now() - exchange.nowMs : 0,
    })
  }

  const exchangeOf = (event: unknown): Exchange => {
    const found = exchanges.get(event as object) // safe because open() ran on this event
    if (!found) throw new Error('no exchange was opened for this event')
    return found
  }

  const http = middy(area.stream ? { executionMode: executionModeStreamifyResponse, requestEnd } : {})
    .use({ before: open, after: finish, onError: finish })
    .use({ onError: fail })
    .before(admit)
    .handler(answer)

  return http as Handler // safe because both execution modes answer a promise that ends with the response
}

/** What a log line says of its request; never its path as sent, for that may hold a secret. */
function factsOf(event: unknown) {
  const { requestContext, httpMethod, resource } = event as APIGatewayProxyEvent // safe because API Gateway alone invokes an area with routes
  return { requestId: requestContext.requestId, method: httpMethod, resource }
}

const heardFrom = (event: APIGatewayProxyEvent): Heard => ({
  requestId: event.requestContext.requestId,
  ip: event.requestContext.identity.sourceIp,
  method: event.httpMethod,
  headers: filled(event.headers, (name) => name.toLowerCase()),
  target: event.path,
  resource: event.resource,
  path: filled(event.pathParameters),
  query: filled(event.queryStringParameters),
  body: event.isBase64Encoded ? Buffer.from(event.body ?? '', 'base64').toString('utf8') : (event.body ?? ''),
})

const filled = (
  values: Record<string, string | undefined> | null,
  called = (name: string) => name,
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values ?? {}).flatMap(([name, value]) => (value === undefined ? [] : [[called(name), value]])),
  )

function jsonReply(exchange: Exchange, output: unknown): Reply {
  const { status, file } = exchange.operation.http
  if (file && typeof output === 'string') return fileReply(file, output)
  const statusCode = typeof status === 'function' ? status(output) : (status ?? 200)
  const body = statusCode === 204 ? '' : JSON.stringify(output)
  return { statusCode, headers: { 'Content-Type': 'application/json' }, body }
}

const fileReply = ({ type, name }: { type: string; name: string }, body: string): Reply => ({
  statusCode: 200,
  headers: { 'Content-Type': `${type}; charset=utf-8`, 'Content-Disposition': `attachment; filename="${name}"` },
  body,
})

const setCookie = (cookie: string | null, production: boolean): string =>
  [
    `${sessionCookieName(production)}=${cookie ?? ''}`,
    'Path=/',
    'HttpOnly',
    'SameSite=Lax',
    `Max-Age=${cookie === null ? 0 : sessionTtlMs / 1000}`,
    ...(production ? ['Secure'] : []),
  ].join('; ')
