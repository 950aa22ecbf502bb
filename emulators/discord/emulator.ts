import { createServer } from 'node:http'
import type { Emulator, PagesOptions, RunningPages } from '../kit/emulator.ts'
import { close, listen } from '../kit/server.ts'
import { Account } from './account.ts'
import type { Discord } from './api/route.ts'
import { createApi, routes } from './api/server.ts'
import { Application, type Command } from './application.ts'
import { type Faults, noFaults } from './faults.ts'
import { Gateway } from './gateway/server.ts'
import { Interactions } from './interactions.ts'
import { createPages } from './pages/server.ts'
import { presentChannel, presentMessage } from './present.ts'
import type { Message } from './records.ts'

/** The messages are in memory: there is no folder of the state. */
export interface DiscordOptions extends Omit<PagesOptions, 'stateFolder'> {
  /** Where interactions are sent; null until the application says it. */
  interactionsUrl: string | null
  /** The bot's name, and its commands from the start. */
  name: string
  commands?: readonly Command[]
  /** Between two heartbeats of the gateway; default 41,250, as Discord's. */
  heartbeatMs?: number
}

/** `apiBase` is also the origin of the files and the gateway. */
export interface RunningDiscord extends RunningPages {
  application: Application
  /** The emulator's state, and people's actions. */
  account: Account
  interactions: Interactions
  gateway: Gateway
  faults: Faults
}

export const discordEmulator: Emulator<DiscordOptions, RunningDiscord> = { name: 'discord', start }

async function start(options: DiscordOptions): Promise<RunningDiscord> {
  const { log = () => {}, name, interactionsUrl, heartbeatMs = 41_250 } = options
  const application = new Application({ name, interactionsUrl })
  if (options.commands) application.setCommands(options.commands)
  const account = new Account(application.id, name)
  const faults = noFaults()
  const server = createServer((request, response) => void api(request, response))
  const apiBase = await listen(server, options.port)
  const origin = () => apiBase
  const gatewayUrl = () => `${apiBase.replace('http', 'ws')}/gateway`

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
    handle: createPages({ ...discord, gateway }, options.pagesUrl),
    apiBase,
    routes,
    application,
    account,
    interactions,
    gateway,
    faults,
    async stop() {
      gateway.close()
      await close(server)
    },
  }
}
