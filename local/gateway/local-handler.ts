/** The local service's own pages: sent e-mails, and the emulators' pages. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Mail } from '../../emulators/aws/emulator.ts'
import { sendPlain } from './gateway.ts'

/** False for an unknown path. */
export type LocalHandler = (request: IncomingMessage, response: ServerResponse) => Promise<boolean>

/** @param mails newest first */
export const createLocalHandler =
  (mails: (to?: string) => Mail[], pages: readonly (LocalHandler | undefined)[]): LocalHandler =>
  async (request, response) => {
    const url = URL.parse(request.url ?? '/', 'http://127.0.0.1')
    if (url?.pathname === '/local/mail' && (request.method === 'GET' || request.method === 'HEAD')) {
      const newestFirst = mails(url.searchParams.get('to') ?? undefined).toReversed()
      sendPlain(response, {
        status: 200,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ mails: newestFirst }),
      })
      return true
    }
    for (const show of pages) if (await show?.(request, response)) return true
    return false
  }
