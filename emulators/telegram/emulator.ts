import { createServer } from 'node:http'
import type { User } from '@grammyjs/types'
import * as z from 'zod'
import type { Emulator, PagesOptions, RunningPages } from '../kit/emulator.ts'
import { record } from '../kit/records.ts'
import { close, listen } from '../kit/server.ts'
import { openStorage } from '../kit/storage.ts'
import type { MethodContext } from './api/methods.ts'
import { Api, type ApiFaults, routes } from './api/server.ts'
import { floodControl } from './limits.ts'
import { createPages } from './pages/server.ts'
import { People } from './people.ts'
import { type DeliveryFaults, Webhook } from './webhook.ts'
import { World, type WorldState } from './world.ts'

export interface TelegramOptions extends PagesOptions {
  /** As `setWebhook` would set it; default: none. */
  webhook?: { url: string; secretToken: string }
  /** The bot's token and name; default `100:local` and `local_bot`. */
  token?: string
  username?: string
  /** Flood control as Telegram has it; default true. */
  limits?: boolean
  /** Milliseconds before an update is delivered again; default 1000. */
  firstRetryMs?: number
}

/** `apiBase` replaces `https://api.telegram.org`. */
export interface RunningTelegram extends RunningPages {
  token: string
  username: string
  people: People
  world: World
  faults: { api: ApiFaults; deliveries: DeliveryFaults }
  /** Resolves when every update is taken. */
  settled(): Promise<void>
}

const state = z.object({
  people: z.array(record<User>()),
  chats: z.array(record<WorldState['chats'][number]>()),
})

export const telegramEmulator: Emulator<TelegramOptions, RunningTelegram> = { name: 'telegram', start }

async function start(options: TelegramOptions): Promise<RunningTelegram> {
  const { log = () => {}, token = '100:local', username = 'local_bot' } = options
  const storage = openStorage(options.stateFolder, telegramEmulator.name)
  const bot: User = { id: Number(token.split(':')[0]), is_bot: true, first_name: username, username }
  const watchers = new Set<() => void>()
  const loaded = state.safeParse(storage.load())
  const world: World = new World(bot, loaded.success ? loaded.data : { people: [], chats: [] }, () => {
    storage.save(world.state)
    for (const tell of watchers) tell()
  })
  if (!loaded.success) inhabit(world)

  const webhook = new Webhook({
    settings: { url: options.webhook?.url ?? '', secretToken: options.webhook?.secretToken, allowedUpdates: undefined },
    log,
    onAnswer: async ({ method, ...parameters }) => {
      await api.call(method, parameters).catch((error) => log(`telegram webhook answer ${method}: ${error}`))
    },
    ...(options.firstRetryMs !== undefined && { firstRetryMs: options.firstRetryMs }),
  })
  const limits = options.limits === false ? { count() {} } : floodControl()
  const context: MethodContext = { world, webhook, limits, queries: new Map(), commandLists: new Map() }
  const api = new Api(token, context, log)
  const people = new People(context)

  const server = createServer((request, response) => void api.handle(request, response))
  return {
    handle: createPages({ world, people, pagesUrl: options.pagesUrl, watchers }),
    apiBase: await listen(server, options.port),
    routes,
    token,
    username,
    people,
    world,
    faults: { api: api.faults, deliveries: webhook.faults },
    settled: () => webhook.settled(),
    async stop() {
      await webhook.close()
      await close(server)
    },
  }
}

/** The initial people: two, and a group that the first of them owns. */
function inhabit(world: World): void {
  const [ada, bob] = [world.addPerson('Ada'), world.addPerson('Bob')]
  const group = world.addGroup('Lab', ada.id, [bob.id])
  group.standing[world.bot.id] = 'member'
}
