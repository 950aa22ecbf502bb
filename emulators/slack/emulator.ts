import { createServer } from 'node:http'
import type { Emulator, PagesOptions, RunningPages } from '../kit/emulator.ts'
import { close, listen } from '../kit/server.ts'
import { openStorage } from '../kit/storage.ts'
import { Api, type Call, type OtherAddresses, routes } from './api/server.ts'
import { Deliveries, retriesMs } from './deliveries.ts'
import { Events } from './events.ts'
import { type Faults, noFaults } from './faults.ts'
import type { App, Context } from './methods/method.ts'
import { createConsentPage } from './pages/consent.ts'
import { createPages } from './pages/server.ts'
import { People } from './people.ts'
import { answerAt } from './responses.ts'
import { openStore, type Store } from './store.ts'
import { seed } from './world.ts'

export type { Call } from './api/server.ts'
export type { Faults } from './faults.ts'

export interface SlackOptions extends PagesOptions {
  /** The app's address for events, commands and presses. */
  webhookUrl: string
  app?: Partial<App>
  /** Whether calls are refused beyond Slack's limits; default yes. */
  limited?: boolean
  /** When an event that was not taken comes again, ms; default: at once, after a minute, after five. */
  retriesMs?: readonly number[]
  /** Hears of every call. */
  onCall?: (call: Call) => void
  now?: () => number
}

/** `apiBase` is also the origin of files and of OAuth. */
export interface RunningSlack extends RunningPages {
  app: App
  faults: Faults
  people: People
  store: Store
  /** Events that were given up after the last try. */
  lost(): number
  /** Resolves when no delivery is under way, but for tries that come later. */
  settled(): Promise<void>
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

export const slackEmulator: Emulator<SlackOptions, RunningSlack> = { name: 'slack', start }

async function start(options: SlackOptions): Promise<RunningSlack> {
  const { webhookUrl: url, pagesUrl, log = () => {}, now = Date.now } = options
  const app = { ...localApp, ...options.app }
  const store = openStore(openStorage(options.stateFolder, slackEmulator.name), now)
  seed(store)
  const faults = noFaults()
  const { signingSecret } = app
  const deliveries = new Deliveries({
    url,
    signingSecret,
    retriesMs: options.retriesMs ?? retriesMs,
    faults,
    now,
    log,
  })
  let apiBase = ''
  const origin = () => apiBase
  const events = new Events(store, deliveries, app.appId, origin)
  const context: Context = { store, events, deliveries, app, origin }
  const people = new People(context)
  const { limited = true, onCall = () => {} } = options
  const api = new Api({ context, faults, limited, log, onCall, other: otherAddresses(context, people, pagesUrl) })
  const server = createServer((request, response) => {
    api.handle(request, response).catch((error: unknown) => {
      log(`slack: ${error instanceof Error ? error.stack : error}`)
      response.destroy()
    })
  })
  apiBase = await listen(server, options.port)

  return {
    handle: createPages(context, people, pagesUrl),
    apiBase,
    routes,
    app,
    faults,
    people,
    store,
    lost: () => deliveries.lost,
    settled: () => deliveries.settled(),
    async stop() {
      await deliveries.close()
      await close(server)
    },
  }
}

/** The pages of OAuth, and the addresses at which the app answers commands. */
function otherAddresses(context: Context, people: People, pagesUrl: string): OtherAddresses {
  const consent = createConsentPage(context, people)
  return async (request, response, body) => {
    const { pathname } = new URL(request.url ?? '/', 'http://127.0.0.1')
    if (pathname.startsWith('/commands/') && request.method === 'POST') {
      const answer = answerAt(context, pathname, (await body()).toString('utf8'))
      if (answer) response.writeHead(answer.status, { 'content-type': 'text/plain' }).end(answer.body)
      return answer !== null
    }
    if (pathname === '/app_redirect') {
      response.writeHead(302, { location: pagesUrl }).end()
      return true
    }
    return consent(request, response, body)
  }
}
