/** What only the local service has: the mails it sent, and the pages of the Stripe stand-in. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Mail } from './aws/mail.ts'
import type { Doors } from './gateway.ts'
import { sendPlain } from './gateway.ts'

type LocalDoor = Doors['local']

/** `pages` is the stand-in's own door, if there is a stand-in. Mails are listed newest first. */
export function createLocalDoor(mails: (to?: string) => Mail[], pages: LocalDoor | undefined): LocalDoor {
  return async (request: IncomingMessage, response: ServerResponse) => {
    const url = URL.parse(request.url ?? '/', 'http://127.0.0.1')
    if (url?.pathname === '/local/mail' && (request.method === 'GET' || request.method === 'HEAD')) {
      const found = mails(url.searchParams.get('to') ?? undefined).toReversed()
      sendPlain(response, {
        status: 200,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ mails: found }),
      })
      return true
    }
    return (await pages?.(request, response)) ?? false
  }
}
