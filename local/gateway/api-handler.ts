/** Answers `/api/…` like API Gateway: the template's routes, functions and error responses. */
import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { finished } from 'node:stream/promises'
import { HOP_BY_HOP } from '../../emulators/aws/gateway-event.ts'
import type { Functions, Outcome } from '../functions/functions.ts'
import type { MayInvoke } from '../functions/principals.ts'
import type { HttpHead, ResponseStream } from '../functions/response-stream.ts'
import { asObject } from '../template/json.ts'
import { account, region } from '../template/resource-types.ts'
import { decodeBody, endWith } from './compress.ts'
import { type FaultType, gatewayResponse, type PlainResponse } from './gateway-response.ts'
import { isBinary, proxyEvent } from './proxy-event.ts'
import type { RestApi, Route } from './rest-api.ts'
import { noViewerFunction, type ViewerFunction } from './viewer-function.ts'

/** Bytes: API Gateway's limit of a request body, and how much of a longer one is read before the refusal. */
const maxBodyBytes = 10 * 1024 * 1024
const maxDrainedBytes = 64 * 1024 * 1024

/** API Gateway renames these headers of a function, so that browsers do not ask for a password. */
const remappedHeaders = new Map([['www-authenticate', 'x-amzn-remapped-www-authenticate']])

/** A valid answer of a function: a status that HTTP allows, headers and a body. */
interface Reply {
  status: number
  headers: [name: string, values: string[]][]
  body: Buffer
}

export type ApiHandler = (request: IncomingMessage, response: ServerResponse) => Promise<void>

export function createApiHandler(
  api: RestApi,
  functions: Functions,
  mayInvoke: MayInvoke = () => true,
  viewer: ViewerFunction = noViewerFunction,
): ApiHandler {
  const send = (response: ServerResponse, { status, headers, body }: PlainResponse, requestId: string) => {
    response.writeHead(status, { 'x-amzn-requestid': requestId, 'x-request-id': requestId, ...headers })
    response.end(response.req.method === 'HEAD' ? undefined : body)
  }
  const refuse = (response: ServerResponse, type: FaultType, requestId: string) =>
    send(response, gatewayResponse(api, type, requestId), requestId)

  const admits = tokenBucket(api.throttle)
  return async (request, response) => {
    const requestId = randomUUID()
    const [target = '', query = ''] = splitOnce(request.url ?? '/', '?')
    const path = target.slice(`/${api.stage}`.length) || '/'
    const sent = await readBody(request)
    const body = sent && decodeBody(sent, request.headers['content-encoding'], maxBodyBytes)
    if (body === 'undecodable') return refuse(response, 'UNSUPPORTED_MEDIA_TYPE', requestId)
    if (!body) {
      response.shouldKeepAlive = false
      return refuse(response, 'REQUEST_TOO_LARGE', requestId)
    }
    if (!admits(performance.now())) return refuse(response, 'THROTTLED', requestId)
    const match = api.match(request.method ?? 'GET', path)
    if (!match) return refuse(response, 'MISSING_AUTHENTICATION_TOKEN', requestId)
    const { target: route, parameters } = match
    const source = `arn:aws:execute-api:${region}:${account}:${api.id}/${api.stage}/${request.method}${route.path}`
    if (!mayInvoke(route.functionArn, 'apigateway.amazonaws.com', source))
      return refuse(response, 'API_CONFIGURATION_ERROR', requestId)
    const event = proxyEvent({ api, route, parameters, request, path, query, body, requestId, viewer })
    const fault = route.streaming
      ? await stream(functions, route, event, response, requestId)
      : await buffer(functions, route, event, response, requestId, api)
    if (fault) refuse(response, fault, requestId)
  }
}

/** Limits parallel requests and requests per second; `now` is in ms. */
export function tokenBucket(throttle: RestApi['throttle']): (now: number) => boolean {
  if (!throttle) return () => true
  const { rate, burst } = throttle
  let [tokens, since] = [burst, Number.NEGATIVE_INFINITY]
  return (now) => {
    tokens = Math.min(burst, tokens + (Math.max(0, now - since) * rate) / 1000)
    since = now
    if (tokens < 1) return false
    tokens -= 1
    return true
  }
}

async function buffer(
  functions: Functions,
  route: Route,
  event: object,
  response: ServerResponse,
  requestId: string,
  api: RestApi,
): Promise<FaultType | undefined> {
  const outcome = await withTimeout(route.timeoutMs, functions.invoke(route.functionArn, event))
  if (outcome === 'timeout') return 'INTEGRATION_TIMEOUT'
  const reply = outcome.ok ? replyOf(outcome.payload, response.req.headers.accept, api.binaryTypes) : undefined
  if (!reply) return 'INTEGRATION_FAILURE'
  sendHead(response, reply.status, reply.headers, requestId)
  endWith(response, reply.body, api.leastCompressedBytes)
  return undefined
}

/** Reads no faster than the client. If the client leaves, the function continues, and its stream is drained. */
async function stream(
  functions: Functions,
  route: Route,
  event: object,
  response: ServerResponse,
  requestId: string,
): Promise<FaultType | undefined> {
  const { body, outcome } = functions.invokeStreaming(route.functionArn, event)
  const deadline = setTimeout(() => detach(body, response), route.timeoutMs)
  outcome.finally(() => clearTimeout(deadline))
  await body.begun
  const head = headOf(body.head)
  if (!head || body.destroyed) {
    body.resume()
    return 'INTEGRATION_FAILURE'
  }
  try {
    sendHead(response, head.status, head.headers, requestId)
    response.flushHeaders()
    response.on('close', () => detach(body, response))
    body.on('error', () => response.destroy())
    body.pipe(response)
    await finished(response)
  } catch {
    detach(body, response)
  }
  return undefined
}

function detach(body: ResponseStream, response: ServerResponse): void {
  body.unpipe(response)
  body.resume()
  if (!response.writableFinished) response.destroy()
}

async function withTimeout(ms: number, outcome: Promise<Outcome>): Promise<Outcome | 'timeout'> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<'timeout'>((resolve) => {
    timer = setTimeout(() => resolve('timeout'), ms)
  })
  const first = await Promise.race([outcome, timeout])
  clearTimeout(timer)
  return first
}

/** Undefined for a payload that API Gateway would call a malformed Lambda proxy response. */
function replyOf(payload: unknown, accept: string | undefined, binaryTypes: string[]): Reply | undefined {
  const { statusCode, headers, multiValueHeaders, body, isBase64Encoded } = asObject(payload)
  // safe because headOf looks at every value of it
  const head = headOf({ statusCode, headers, multiValueHeaders } as HttpHead)
  if (!head || (body !== undefined && body !== null && typeof body !== 'string')) return undefined
  const decode = isBase64Encoded === true && isBinary(accept, binaryTypes)
  return { ...head, body: Buffer.from(body ?? '', decode ? 'base64' : 'utf8') }
}

function headOf(head: HttpHead | undefined): Omit<Reply, 'body'> | undefined {
  const status = Number(head?.statusCode ?? Number.NaN)
  if (!head || !Number.isInteger(status) || status < 200 || status > 599) return undefined
  const headers = new Map<string, [string, string[]]>()
  for (const [name, value] of Object.entries(head.headers ?? {})) headers.set(name.toLowerCase(), [name, [`${value}`]])
  for (const [name, values] of Object.entries(head.multiValueHeaders ?? {}))
    headers.set(name.toLowerCase(), [name, values.map((value) => `${value}`)])
  if (head.cookies?.length) headers.set('set-cookie', ['set-cookie', head.cookies])
  if (!headers.has('content-type')) headers.set('content-type', ['content-type', ['application/json']])
  return { status, headers: [...headers.values()] }
}

function sendHead(response: ServerResponse, status: number, headers: Reply['headers'], requestId: string): void {
  response.statusCode = status
  response.setHeader('x-amzn-requestid', requestId)
  for (const [name, values] of headers) {
    const lower = name.toLowerCase()
    if (HOP_BY_HOP.has(lower) || lower === 'content-length') continue
    response.setHeader(remappedHeaders.get(lower) ?? name, values.length === 1 ? (values[0] ?? '') : values)
  }
  if (!response.hasHeader('x-request-id')) response.setHeader('x-request-id', requestId)
}

async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request) {
    size += chunk.length
    if (size <= maxBodyBytes) chunks.push(chunk)
    else if (size > maxDrainedBytes) break
  }
  return size > maxBodyBytes ? undefined : Buffer.concat(chunks)
}

function splitOnce(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator)
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)]
}
