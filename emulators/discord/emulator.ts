import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { Account } from './account.ts'
import type { Discord } from './api/route.ts'
import { createApi } from './api/server.ts'
import { Application, type Command } from './application.ts'
import { type Faults, noFaults } from './faults.ts'
import { Gateway } from './gateway/server.ts'
import { Interactions } from './interactions.ts'
import { createPages } from './pages/server.ts'
import { presentChannel, presentMessage } from './present.ts'
import type { Message } from './records.ts'

export interface DiscordEmulatorOptions {
  /** Where browsers reach the page that `handle` serves: `http://127.0.0.1:8787/local/discord`. */
  pageUrl: string
  /** Where interactions are sent; null until the application says it. */
  interactionsUrl: string | null
  /** The bot's name, and its commands from the start. */
  name: string
  commands?: readonly Command[]
  log: (line: string) => void
  /** The API's port; default: any free port. */
  port?: number
  /** Between two heartbeats of the gateway; default 41,250, as Discord's. */
  heartbeatMs?: number
}

export interface DiscordEmulator {
  /** Serves the page; false when the request is for something else. */
  handle(request: IncomingMessage, response: ServerResponse): Promise<boolean>
  /** The origin of the API, the files and the gateway. */
  apiBase: string
  application: Application
  /** The emulator's state, and people's actions. */
  account: Account
  interactions: Interactions
  gateway: Gateway
  faults: Faults
  close(): Promise<void>
}

export async function startDiscordEmulator(options: DiscordEmulatorOptions): Promise<DiscordEmulator> {
  const { log, name, interactionsUrl, heartbeatMs = 41_250 } = options
  const application = new Application({ name, interactionsUrl })
  if (options.commands) application.setCommands(options.commands)
  const account = new Account(application.id, name)
  const faults = noFaults()
  const server = createServer((request, response) => void api(request, response))
  server.listen(options.port ?? 0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (!address || typeof address === 'string') throw new Error('the Discord emulator has no port')
  const origin = () => `http://127.0.0.1:${address.port}`
  const gatewayUrl = () => `ws://127.0.0.1:${address.port}/gateway`

  const presentToBot = (message: Message, mayRead = application.messageContent) => {
    const shown = presentMessage(message, origin())
    const { channel, author, mentions } = message
    const isMeant = channel.guild_id === undefined || author === account.bot || mentions.includes(account.bot)
    return mayRead || isMeant ? shown : { ...shown, content: '', attachments: [], embeds: [], components: [] }
  }
  const interactions = new Interactions(account, application, origin)
  const gateway = new Gateway({ account, application, faults, server, url: gatewayUrl, presentToBot, heartbeatMs })
  const discord: Discord = {
    account,
    application,
    interactions,
    faults,
    origin,
    gatewayUrl,
    identified: () => gateway.identified,
    present: (message) => presentMessage(message, origin()),
    presentToBot: (message) => presentToBot(message),
    presentChannel: (channel) => presentChannel(account, channel),
  }
  const api = createApi(discord, log)
  return {
    handle: createPages({ ...discord, gateway, pageUrl: options.pageUrl }),
    apiBase: origin(),
    application,
    account,
    interactions,
    gateway,
    faults,
    async close() {
      gateway.close()
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
