import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { User } from '@grammyjs/types'
import * as z from 'zod'
import { methods } from './api/methods.ts'
import { type ApiFaults, createApi } from './api/server.ts'
import { floodControl } from './limits.ts'
import { createPages } from './pages/server.ts'
import { createPeople, type People } from './people.ts'
import { type DeliveryFaults, startWebhook } from './webhook.ts'
import { World, type WorldState } from './world.ts'

export interface TelegramEmulatorOptions {
  /**
   * Where browsers reach the page that `handle` serves, without a slash at the end:
   * `http://127.0.0.1:8787/local/telegram`.
   */
  pageUrl: string
  log: (line: string) => void
  /** As `setWebhook` would set it; default: none. */
  webhook?: { url: string; secretToken: string }
  /** The bot's token and name; default `100:local` and `local_bot`. */
  token?: string
  username?: string
  /** The storage of people, chats and messages; default: in memory, so that a restart starts over. */
  storage?: { load(): unknown; save(state: object): void }
  /** Flood control as Telegram has it; default true. */
  limits?: boolean
  /** Milliseconds before an update is delivered again; default 1000. */
  firstRetryMs?: number
  /** The port of the API; default: any free port. */
  port?: number
}

export interface TelegramEmulator {
  /** Serves the page; false when the request is not for it. */
  handle(request: IncomingMessage, response: ServerResponse): Promise<boolean>
  /** The API's origin, as `https://api.telegram.org` is the real one. */
  apiBase: string
  token: string
  username: string
  people: People
  world: World
  faults: { api: ApiFaults; deliveries: DeliveryFaults }
  /** Resolves when every update is taken. */
  settled(): Promise<void>
  close(): Promise<void>
}

// The emulator alone writes it, so what is loaded is what the types say.
const state = z.object({
  people: z.array(z.custom<User>((value) => typeof value === 'object')),
  chats: z.array(z.custom<WorldState['chats'][number]>((value) => typeof value === 'object')),
})

export async function startTelegramEmulator(options: TelegramEmulatorOptions): Promise<TelegramEmulator> {
  const { log, token = '100:local', username = 'local_bot', storage } = options
  const bot: User = { id: Number(token.split(':')[0]), is_bot: true, first_name: username, username }
  const watchers = new Set<() => void>()
  const loaded = state.safeParse(storage?.load())
  const world: World = new World(bot, loaded.success ? loaded.data : { people: [], chats: [] }, () => {
    storage?.save(world.state)
    for (const tell of watchers) tell()
  })
  if (!loaded.success) inhabit(world)

  const queries = new Map<string, (text: string | undefined) => void>()
  const webhook = startWebhook({
    settings: { url: options.webhook?.url ?? '', secretToken: options.webhook?.secretToken, allowedUpdates: undefined },
    log,
    onAnswer: async ({ method, ...parameters }) => {
      await api.call(method, parameters).catch((error) => log(`telegram webhook answer ${method}: ${error}`))
    },
    ...(options.firstRetryMs !== undefined && { firstRetryMs: options.firstRetryMs }),
  })
  const limits = options.limits === false ? { count() {} } : floodControl()
  const api = createApi({ token, world, methods: methods({ world, webhook, limits, queries }), log })
  const people = createPeople({ world, webhook, queries })

  const server = createServer((request, response) => void api.handle(request, response))
  server.listen(options.port ?? 0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (!address || typeof address === 'string') throw new Error('the Telegram emulator has no port')

  return {
    handle: createPages({ world, people, pageUrl: options.pageUrl, watchers }),
    apiBase: `http://127.0.0.1:${address.port}`,
    token,
    username,
    people,
    world,
    faults: { api: api.faults, deliveries: webhook.faults },
    settled: webhook.settled,
    async close() {
      await webhook.close()
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** The initial people: two, and a group that the first of them owns. */
function inhabit(world: World): void {
  const [ada, bob] = [world.addPerson('Ada'), world.addPerson('Bob')]
  const group = world.addGroup('Lab', ada.id, [bob.id])
  group.standing[world.bot.id] = 'member'
}
