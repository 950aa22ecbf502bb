import { BerthError, createClient } from '../../clients/typescript/client.ts'
import { texts } from '../texts/index.ts'
import { apiRoot } from '../viewing.ts'
import { earlyMs, takeEarly } from './early.ts'

/** Fires `signed-out` when a call finds that the session is over. */
export const session = new EventTarget()

let firstAnswerMs: number | null = null

/** The service's time of its first answer, ms since 1970, to the second: the page shows nothing older. */
export const answeredSinceMs = (): number | null => firstAnswerMs

/** The browser still sends a small change when its page is closed or loaded again. It limits the size of all of them. */
const isSmallChange = ({ method, body }: RequestInit = {}): boolean =>
  method === 'PATCH' && typeof body === 'string' && body.length < 10_000

export const berth = createClient({
  baseUrl: apiRoot,
  async fetch(url, request) {
    const answer = await (takeEarly(String(url), request) ??
      fetch(url, { ...request, keepalive: isSmallChange(request) }))
    // An early answer may be older than this one, but not older than its request.
    firstAnswerMs ??= Date.parse(answer.headers.get('date') ?? '') - earlyMs() || null
    if (answer.status === 401 && !String(url).startsWith('/api/auth/')) session.dispatchEvent(new Event('signed-out'))
    return answer
  },
})

export const errorText = (thrown: unknown): string =>
  thrown instanceof BerthError ? thrown.message : texts.common.unexpected
