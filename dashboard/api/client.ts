/** How the pages call the API: by the client that programs have, with the session instead of a token. */
import { BerthError, createClient } from '../../clients/typescript/client.ts'

/** Fires `signed-out` when a call finds that the session is over. */
export const session = new EventTarget()

/** Every operation of the API, as a function. */
export const berth = createClient({
  baseUrl: '/api',
  async fetch(url, request) {
    const answer = await fetch(url, request)
    if (answer.status === 401 && !String(url).startsWith('/api/auth/')) session.dispatchEvent(new Event('signed-out'))
    return answer
  },
})

/** The text to show for anything that was thrown. */
export const errorText = (thrown: unknown): string =>
  thrown instanceof BerthError ? thrown.message : 'Something went wrong on this page. Reload it and try again.'
