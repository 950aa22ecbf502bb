import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type Call, createApi } from './api/server.ts'
import { retriesMs, startDeliveries } from './deliveries.ts'
import { createEvents } from './events.ts'
import { type Faults, noFaults } from './faults.ts'
import type { App, Context } from './methods/method.ts'
import { createConsentPage } from './pages/consent.ts'
import { createPages } from './pages/server.ts'
import { createPeople, type People } from './people.ts'
import { answerAt } from './responses.ts'
import { openStore, type SlackStorage, type Store } from './store.ts'
import { seed } from './world.ts'

export type { Call } from './api/server.ts'
export type { Faults } from './faults.ts'
export type { SlackStorage } from './store.ts'

export interface SlackEmulatorOptions {
  /** Where browsers reach the page that `handle` serves: `http://127.0.0.1:8787/local/slack`. */
  pageUrl: string
  /** The app's address for events, commands and presses. */
  webhookUrl: string
  log: (line: string) => void
  app?: Partial<App>
  /** Default: in memory, so that a restart starts over. */
  storage?: SlackStorage
  /** Whether calls are refused beyond Slack's limits; default yes. */
  limited?: boolean
  /** When an event that was not taken comes again, ms; default: at once, after a minute, after five. */
  retriesMs?: readonly number[]
  /** Hears of every call. */
  onCall?: (call: Call) => void
  now?: () => number
  /** The API's port; default: any free port. */
  port?: number
}

export interface SlackEmulator {
  /** Serves the page; false when the request is not for it. */
  handle(request: IncomingMessage, response: ServerResponse): Promise<boolean>
  /** The origin of the API, of files and of OAuth. */
  apiBase: string
  app: App
  faults: Faults
  people: People
  store: Store
  /** Events that were given up after the last try. */
  lost(): number
  /** Resolves when no delivery is under way, but for tries that come later. */
  settled(): Promise<void>
  close(): Promise<void>
}

const localApp: App = {
  appId: 'A0LOCALAPP0',
  clientId: '1000000000.2000000000',
  clientSecret: 'client-secret-of-the-laptop',
  signingSecret: 'signing-secret-of-the-laptop',
  scopes: [
    'app_mentions:read',
    'channels:history',
    'channels:read',
    'chat:write',
    'commands',
    'files:read',
    'files:write',
    'groups:history',
    'groups:read',
    'im:history',
    'im:read',
    'mpim:history',
    'mpim:read',
    'users:read',
  ],
}

export async function startSlackEmulator(options: SlackEmulatorOptions): Promise<SlackEmulator> {
  const { log, webhookUrl: url, now = Date.now } = options
  const app = { ...localApp, ...options.app }
  const store = openStore(options.storage, now)
  seed(store)
  const faults = noFaults()
  const { signingSecret } = app
  const deliveries = startDeliveries({
    url,
    signingSecret,
    retriesMs: options.retriesMs ?? retriesMs,
    faults,
    now,
    log,
  })
  let apiBase = ''
  const origin = () => apiBase
  const events = createEvents(store, deliveries, app.appId, origin)
  const context: Context = { store, events, deliveries, app, origin }
  const people = createPeople(context)
  const consent = createConsentPage(context, people)

  const api = createApi({
    context,
    faults,
    limited: options.limited ?? true,
    log,
    onCall: options.onCall ?? (() => {}),
    async other(request, response, body) {
      const { pathname } = new URL(request.url ?? '/', 'http://127.0.0.1')
      if (pathname.startsWith('/commands/') && request.method === 'POST') {
        const answer = answerAt(context, pathname, (await body()).toString('utf8'))
        if (answer) response.writeHead(answer.status, { 'content-type': 'text/plain' }).end(answer.body)
        return answer !== null
      }
      if (pathname === '/app_redirect') {
        response.writeHead(302, { location: options.pageUrl }).end()
        return true
      }
      return consent(request, response, body)
    },
  })
  const server = createServer((request, response) => {
    api(request, response).catch((error: unknown) => {
      log(`slack: ${error instanceof Error ? error.stack : error}`)
      response.destroy()
    })
  })
  server.listen(options.port ?? 0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (!address || typeof address === 'string') throw new Error('the Slack emulator has no port')
  apiBase = `http://127.0.0.1:${address.port}`

  return {
    handle: createPages(context, people, options.pageUrl),
    apiBase,
    app,
    faults,
    people,
    store,
    lost: () => deliveries.lost,
    settled: deliveries.settled,
    async close() {
      await deliveries.close()
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
