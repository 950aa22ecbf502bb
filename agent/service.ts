import type { IncomingHttpHeaders } from 'node:http'
import type { Audience } from './environment.ts'
import { readJson, send } from './http.ts'
import type { Tokens } from './tokens.ts'

const maxAnswerBytes = 8 * 1024 * 1024
const callMs = 35_000

export interface Answer {
  status: number
  body: unknown
  headers: IncomingHttpHeaders
}

export interface CallMore {
  body?: unknown
  headers?: Record<string, string>
  signal?: AbortSignal
}

/** The supervisor's own calls to the service. */
export interface Service {
  /** @throws whatever the connection throws */
  call(audience: Audience, target: string, more?: CallMore): Promise<Answer>
  /** Notes what every response of the service may say: a fresh token, or that this machine is superseded. */
  note(audience: Audience, status: number, headers: IncomingHttpHeaders): void
}

export function makeService(api: string, tokens: Tokens, superseded: () => void): Service {
  const note: Service['note'] = (audience, status, headers) => {
    tokens.take(audience, headers, Date.now())
    if (status === 401) superseded()
  }
  return {
    note,
    async call(audience, target, { body, headers = {}, signal } = {}) {
      const sent = body === undefined ? undefined : JSON.stringify(body)
      const response = await send(
        `${api}${target}`,
        {
          method: sent === undefined ? 'GET' : 'POST',
          headers: {
            ...headers,
            authorization: tokens.bearer(audience),
            ...(sent !== undefined && {
              'content-type': 'application/json',
              'content-length': Buffer.byteLength(sent),
            }),
          },
          signal: AbortSignal.any([AbortSignal.timeout(callMs), ...(signal ? [signal] : [])]),
        },
        sent,
      )
      const status = response.statusCode ?? 0
      note(audience, status, response.headers)
      return { status, body: await readJson(response, maxAnswerBytes), headers: response.headers }
    },
  }
}
