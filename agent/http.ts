import type { ClientRequest, IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { nameOf } from './log.ts'
import { Agent as HttpAgent, request as httpRequest } from './node-http.ts'

// Built on node:http: `fetch` costs 15 MB more of memory in each of a machine's two processes.
const keep = { keepAlive: true, timeout: 30_000 }
const plain = new HttpAgent(keep)
const secure = new HttpsAgent(keep)

type Headers = Record<string, string | string[] | number | undefined>

/** Opens a request; the caller writes its body and ends it. */
export const open = (
  url: string,
  options: { method: string; headers: Headers; signal?: AbortSignal | undefined },
): ClientRequest =>
  url.startsWith('https:')
    ? httpsRequest(url, { ...options, agent: secure })
    : httpRequest(url, { ...options, agent: plain })

/** The head of a request's response. */
export const responseTo = (request: ClientRequest): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    request.once('response', resolve)
    // Stays: a request that is aborted while its response is read reports that here as well.
    request.on('error', reject)
  })

/** GETs, or POSTs a body as JSON, unless it is said otherwise, and answers the response's head. @throws whatever the connection throws */
export async function send(
  url: string,
  call: { headers: Headers; body?: unknown; signal?: AbortSignal | undefined; method?: 'DELETE' | undefined },
): Promise<IncomingMessage> {
  const { headers, body, signal } = call
  const request = open(url, {
    method: call.method ?? (body === undefined ? 'GET' : 'POST'),
    headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
    signal,
  })
  request.end(body === undefined ? undefined : JSON.stringify(body))
  try {
    return await responseTo(request)
  } catch (thrown) {
    // A kept connection that the other side had just closed: nothing was answered, so ask on another one.
    if (request.reusedSocket && nameOf(thrown) === 'ECONNRESET') return send(url, call)
    throw thrown
  }
}

/** The whole of a response. @throws RangeError past the bound */
export async function readBytes(response: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const parts: Buffer[] = []
  let size = 0
  for await (const part of response) {
    parts.push(part)
    size += part.length
    if (size > maxBytes) throw new RangeError(`a response is larger than ${maxBytes} bytes`)
  }
  return Buffer.concat(parts)
}

/** Most bytes of an answer of the service. */
const maxAnswerBytes = 8 * 1024 * 1024

/** The whole of a service's answer as text. @throws RangeError past the bound */
export const readText = async (response: IncomingMessage): Promise<string> =>
  (await readBytes(response, maxAnswerBytes)).toString('utf8')

/** Raised after that time, or with `stop`. */
export const within = (ms: number, stop?: AbortSignal): AbortSignal =>
  AbortSignal.any([AbortSignal.timeout(ms), ...(stop ? [stop] : [])])
