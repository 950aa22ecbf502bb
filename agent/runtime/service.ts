import type { IncomingMessage } from 'node:http'
import type { RuntimeSettings } from '../environment.ts'
import { readJson, send } from '../http.ts'
import { asNumber, asObject, asText } from '../shapes.ts'
import { ServiceError, Stopped } from './recoveries.ts'

const maxAnswerBytes = 8 * 1024 * 1024

export interface Service {
  get(target: string, signal?: AbortSignal): Promise<unknown>
  post(target: string, body: unknown): Promise<unknown>
}

/** The agent's side of the protocol, through the supervisor's loopback. Both calls throw ServiceError or Stopped. */
export function makeService({ loopback, loopbackKey }: RuntimeSettings): Service {
  const ask = async (method: string, target: string, body: string | undefined, signal?: AbortSignal) => {
    const headers = {
      authorization: `Bearer ${loopbackKey}`,
      ...(body !== undefined && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
    }
    const response = await request(
      `${loopback}${target}`,
      { method, headers, signal: within(35_000, signal) },
      body,
      signal,
    )
    return await readJson(response, maxAnswerBytes)
  }
  return {
    get: (target, signal) => ask('GET', target, undefined, signal),
    post: (target, body) => ask('POST', target, JSON.stringify(body)),
  }
}

const within = (ms: number, signal?: AbortSignal) =>
  AbortSignal.any([AbortSignal.timeout(ms), ...(signal ? [signal] : [])])

/** Sends a request and answers a successful response's head. @throws ServiceError, or Stopped when `stop` was raised */
export async function request(
  url: string,
  call: Parameters<typeof send>[1],
  body: string | undefined,
  stop?: AbortSignal,
): Promise<IncomingMessage> {
  let response: IncomingMessage
  try {
    response = await send(url, call, body)
  } catch {
    if (stop?.aborted) throw new Stopped()
    throw new ServiceError(502, 'connection')
  }
  const status = response.statusCode ?? 502
  if (status < 300) return response
  const problem = asObject(await readJson(response, maxAnswerBytes).catch(() => undefined))
  const told = Number(response.headers['retry-after'] ?? Number.NaN)
  const retryAfter = asNumber(problem.retryAfterSeconds, told)
  throw new ServiceError(status, asText(problem.error) || 'unknown', Number.isFinite(retryAfter) ? retryAfter : null)
}
