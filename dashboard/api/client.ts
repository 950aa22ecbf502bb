/** How the pages call the API: by the client that programs have, with the session instead of a token. */
import { BerthError, createClient } from '../../clients/typescript/client.ts'
import { texts } from '../texts/index.ts'
import { apiRoot } from '../viewing.ts'

/** Fires `signed-out` when a call finds that the session is over. */
export const session = new EventTarget()

let firstAnswerMs: number | null = null

/** When the service answered this page first, by its own clock to the second, ms since 1970: what the page shows is no older. */
export const answeredSinceMs = (): number | null => firstAnswerMs

/** Every operation of the API, as a function. */
export const berth = createClient({
  baseUrl: apiRoot,
  async fetch(url, request) {
    const answer = await fetch(url, request)
    firstAnswerMs ??= Date.parse(answer.headers.get('date') ?? '') || null
    if (answer.status === 401 && !String(url).startsWith('/api/auth/')) session.dispatchEvent(new Event('signed-out'))
    return answer
  },
})

/** The text to show for anything that was thrown. */
export const errorText = (thrown: unknown): string =>
  thrown instanceof BerthError ? thrown.message : texts.common.unexpected
