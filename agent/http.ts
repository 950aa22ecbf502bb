import { type ClientRequest, Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { parseJson } from './shapes.ts'

// Built on node:http: `fetch` costs 15 MB more of memory in each of a machine's two processes.
const keep = { keepAlive: true, timeout: 30_000 }
const plain = new HttpAgent(keep)
const secure = new HttpsAgent(keep)

export interface Call {
  method: string
  headers: Record<string, string | string[] | number | undefined>
  signal?: AbortSignal
}

/** Opens a request; the caller writes its body and ends it. */
export function open(url: string, { method, headers, signal }: Call): ClientRequest {
  const options = { method, headers, ...(signal && { signal }) }
  return url.startsWith('https:')
    ? httpsRequest(url, { ...options, agent: secure })
    : httpRequest(url, { ...options, agent: plain })
}

/** Sends a request with a small body and answers the response's head. @throws whatever the connection throws */
export async function send(url: string, call: Call, body?: string): Promise<IncomingMessage> {
  try {
    return await sendOnce(url, call, body)
  } catch (thrown) {
    // A kept connection that the other side had just closed: nothing was answered, so ask on a fresh one.
    if (thrown instanceof StaleConnection) return await sendOnce(url, call, body)
    throw thrown
  }
}

class StaleConnection extends Error {}

function sendOnce(url: string, call: Call, body?: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request = open(url, call)
    request.once('response', resolve)
    request.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        request.reusedSocket && error.code === 'ECONNRESET' ? new StaleConnection('stale', { cause: error }) : error,
      ),
    )
    request.end(body)
  })
}

/** The whole of a response. @throws RangeError past the bound */
export async function readBytes(response: AsyncIterable<Buffer | string>, maxBytes: number): Promise<Buffer> {
  const parts: Buffer[] = []
  let size = 0
  for await (const part of response) {
    const bytes = Buffer.from(part)
    size += bytes.length
    if (size > maxBytes) throw new RangeError(`a response is larger than ${maxBytes} bytes`)
    parts.push(bytes)
  }
  return Buffer.concat(parts)
}

/** The whole of a response as text. @throws RangeError past the bound */
export const readText = async (response: AsyncIterable<Buffer | string>, maxBytes: number): Promise<string> =>
  (await readBytes(response, maxBytes)).toString('utf8')

/** The whole of a response as JSON; undefined when it is none. */
export const readJson = async (response: IncomingMessage, maxBytes: number): Promise<unknown> =>
  parseJson(await readText(response, maxBytes))
