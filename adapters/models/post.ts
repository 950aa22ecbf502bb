import * as plain from 'node:http'
import * as tls from 'node:https'
import type { UpstreamResponse } from '../../app/models/ports.ts'
import { connectMs } from '../../domain/models/call-limits.ts'
import { secondMs } from '../../domain/time.ts'
import { readBody } from './answer-body.ts'

/**
 * Connections are kept, since making one costs more than a call; a provider that closes idle ones does so later than
 * this.
 */
const keptAlive = {
  keepAlive: true,
  keepAliveMsecs: 10 * secondMs,
  timeout: 55 * secondMs,
  scheduling: 'lifo' as const,
}
const agents = { 'http:': new plain.Agent(keptAlive), 'https:': new tls.Agent(keptAlive) }

/** A kept connection that the other side had just closed: nothing was answered, so it may be asked on another one. */
class StaleConnection extends Error {}

/**
 * POSTs a body and resolves when the response's head is there; redirects are not followed. @throws without a connection
 */
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
    // Node keeps no copies of headers in a list, but adds the credentials of a URL to those in an object only.
    headers: url.username === '' ? Object.entries(all).flat() : all,
  })
  sent.end(bytes)
  return sent
}

/** Knows nothing of the request's body, which may be large, for an answer may take minutes. */
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
      // An aborted response also errors; its reader notices that, and nobody else needs to.
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

/** A Retry-After in seconds, as ms; null when there is none or it is a date. */
function secondsOf(header: string | undefined): number | null {
  const seconds = Number(header ?? Number.NaN)
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * secondMs : null
}
