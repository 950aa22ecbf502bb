import type { ClientRequest, IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { nameOf } from './log.ts'
import { Agent as HttpAgent, request as httpRequest } from './node-http.ts'

// Uses node:http: `fetch` costs 15 MB more memory in each of a machine's two processes.
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

export const responseTo = (request: ClientRequest): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    request.once('response', resolve)
    // Keep this handler: aborting a request while its response is read emits `error` here too.
    request.on('error', reject)
  })

/** GETs, or POSTs a body as JSON, unless `call` names another method. @throws whatever the connection throws */
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
    // The server closed the idle connection before it got this request: retry on another one.
    if (request.reusedSocket && nameOf(thrown) === 'ECONNRESET') return send(url, call)
    throw thrown
  }
}

/** @throws RangeError for more than `maxBytes` */
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

const maxAnswerBytes = 8 * 1024 * 1024

/** @throws RangeError for more than `maxAnswerBytes` */
export const readText = async (response: IncomingMessage): Promise<string> =>
  (await readBytes(response, maxAnswerBytes)).toString('utf8')

export const within = (ms: number, stop?: AbortSignal): AbortSignal =>
  AbortSignal.any([AbortSignal.timeout(ms), ...(stop ? [stop] : [])])
