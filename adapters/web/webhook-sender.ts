import type { IncomingMessage } from 'node:http'
import type { WebhookSender } from '../../app/ports/webhooks.ts'
import { type Answer, maxAnswerBytes, readRetryAfter, tryLimits } from '../../domain/webhooks/delivery.ts'
import { checkUrl } from '../../domain/webhooks/endpoint.ts'
import type { Env } from '../env.ts'
import { RefusedAddress } from './public-addresses.ts'
import { type Guard, publicOnly, publicOrLoopback, type RequestLimits, requestPublic } from './public-request.ts'

export const webhookSender = (env: Env): WebhookSender => {
  const local = !env.settings().production
  return openSender(local ? publicOrLoopback : publicOnly, local)
}

/** @param local whether to send to the local addresses that `checkUrl` allows only there */
export const openSender = (guard: Guard, local: boolean, limits: RequestLimits = tryLimits): WebhookSender => ({
  async post(url, headers, body) {
    const startMs = performance.now()
    const latencyMs = () => Math.round(performance.now() - startMs)
    try {
      const sent = { method: 'POST', headers: { ...always, ...headers }, body } as const
      const response = await requestPublic(new URL(checkUrl(url, local)), sent, limits, guard)
      const answer = readAnswer(response, latencyMs())
      await drop(response)
      return answer
    } catch (error) {
      return { status: null, failure: failureOf(error), latencyMs: latencyMs(), retryAfterSeconds: null }
    }
  },
})

const always = { 'content-type': 'application/json', 'user-agent': 'Berth-Webhooks/1', accept: '*/*' }

const readAnswer = ({ statusCode, headers }: IncomingMessage, latencyMs: number): Answer => ({
  status: statusCode ?? null,
  failure: null,
  latencyMs,
  retryAfterSeconds: readRetryAfter(headers['retry-after'], Date.now()),
})

/** Reads a little of the body, so that a normal server is not cut off. Errors are ignored. */
async function drop(response: IncomingMessage): Promise<void> {
  let bytes = 0
  try {
    for await (const part of response) {
      bytes += part.length
      if (bytes >= maxAnswerBytes) break
    }
  } catch {
  } finally {
    response.destroy()
  }
}

/** Node's many codes of TLS errors. */
const tlsCodes = /^(CERT_|ERR_TLS_|ERR_SSL_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|EPROTO$)/

function failureOf(error: unknown): NonNullable<Answer['failure']> {
  // The rules may have changed since the URL was accepted.
  if (error instanceof RefusedAddress || (error instanceof Error && error.name === 'DomainError'))
    return 'refused-address'
  if (!(error instanceof Error)) return 'unreachable'
  if (error.name === 'TimeoutError' || error.name === 'AbortError') return 'timeout'
  return 'code' in error && tlsCodes.test(String(error.code)) ? 'tls' : 'unreachable'
}
