/** The local service's own pages: the list of helpers, sent e-mails, and the emulators' pages. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Mail } from '../../emulators/aws/emulator.ts'
import { sendPlain } from './gateway.ts'
import type { PlainResponse } from './gateway-response.ts'
import { helpersPage, inboxPage, type LocalFacts } from './local-pages.ts'

/** False for an unknown path. */
export type LocalHandler = (request: IncomingMessage, response: ServerResponse) => Promise<boolean>

/** @param mails oldest first */
export const createLocalHandler =
  (facts: LocalFacts, mails: (to?: string) => Mail[], pages: readonly (LocalHandler | undefined)[]): LocalHandler =>
  async (request, response) => {
    const own = request.method === 'GET' || request.method === 'HEAD' ? ownPage(facts, mails, request) : undefined
    if (own) {
      sendPlain(response, own)
      return true
    }
    for (const show of pages) if (await show?.(request, response)) return true
    return false
  }

/** E-mails are a page for browsers, and JSON for programs. */
function ownPage(facts: LocalFacts, mails: (to?: string) => Mail[], { url, headers }: IncomingMessage) {
  const asked = URL.parse(url ?? '/', 'http://127.0.0.1')
  if (asked?.pathname === '/local' || asked?.pathname === '/local/') return helpersPage(facts)
  if (asked?.pathname !== '/local/mail') return undefined
  const to = asked.searchParams.get('to') ?? undefined
  const newestFirst = mails(to).toReversed()
  if (headers.accept?.includes('text/html')) return inboxPage(newestFirst, to)
  return json({ mails: newestFirst })
}

const json = (value: object): PlainResponse => ({
  status: 200,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(value),
})
