import * as plain from 'node:http'
import * as tls from 'node:https'
import type { UpstreamResponse } from '../../app/ports/models.ts'
import { connectMs } from '../../domain/models/call-limits.ts'
import { secondMs } from '../../domain/time.ts'
import { readBody } from './answer-body.ts'

/** Keeps connections, because a new one costs more than a call. Providers close idle connections later than this. */
const keptAlive = {
  keepAlive: true,
  keepAliveMsecs: 10 * secondMs,
  timeout: 55 * secondMs,
  scheduling: 'lifo' as const,
}
const agents = { 'http:': new plain.Agent(keptAlive), 'https:': new tls.Agent(keptAlive) }

/** The provider closed an idle connection before it answered, so another connection may repeat the request. */
class StaleConnection extends Error {}

/** POSTs a body and resolves with the response's headers. Follows no redirects. @throws without a connection */
export async function post(
  url: URL,
  headers: Readonly<Record<string, string>>,
  body: string,
  signal: AbortSignal,
): Promise<UpstreamResponse> {
  for (;;) {
    try {
      return await responseTo(send(url, headers, body), signal)
    } catch (error) {
      if (!(error instanceof StaleConnection)) throw error
    }
  }
}

function send(url: URL, headers: Readonly<Record<string, string>>, body: string): plain.ClientRequest {
  const secure = url.protocol === 'https:'
  const { request } = secure ? tls : plain
  const bytes = Buffer.from(body)
  const all = { host: url.host, ...headers, 'content-length': String(bytes.length) }
  const sent = request(url, {
    method: 'POST',
    agent: secure ? agents['https:'] : agents['http:'],
    // Node does not copy headers in a list, but adds a URL's credentials only to headers in an object.
    headers: url.username === '' ? Object.entries(all).flat() : all,
  })
  sent.end(bytes)
  return sent
}

/** A separate function, so that no closure keeps the large request body during an answer of minutes. */
function responseTo(sent: plain.ClientRequest, signal: AbortSignal): Promise<UpstreamResponse> {
  return new Promise((resolve, reject) => {
    let connecting: NodeJS.Timeout | undefined
    const abort = () => sent.destroy(new Error('aborted'))
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort)
    const connected = () => {
      clearTimeout(connecting)
      connecting = undefined
    }
    sent.on('close', () => {
      connected()
      signal.removeEventListener('abort', abort)
    })
    sent.once('socket', (socket) => {
      if (!socket.connecting) return
      connecting = setTimeout(() => sent.destroy(new Error('no connection in time')), connectMs)
      socket.once(sent.protocol === 'https:' ? 'secureConnect' : 'connect', connected)
    })
    sent.once('response', (response) => {
      // An aborted response also emits an error, which its reader handles.
      response.on('error', ignore)
      resolve({
        status: response.statusCode ?? 0,
        type: response.headers['content-type'] ?? '',
        retryAfterMs: secondsOf(response.headers['retry-after']),
        read: (onChunk) => readBody(response, onChunk, signal),
        cancel: () => void response.destroy(),
      })
    })
    sent.on('error', (error: NodeJS.ErrnoException) => {
      const stale = sent.reusedSocket && error.code === 'ECONNRESET' && !signal.aborted
      reject(stale ? new StaleConnection() : error)
    })
  })
}

const ignore = () => {}

/** `Retry-After` as ms; null if it is missing or a date. */
function secondsOf(header: string | undefined): number | null {
  const seconds = Number(header ?? Number.NaN)
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * secondMs : null
}
