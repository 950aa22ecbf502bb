/** Emulators of the chat platforms, each with a chat page. */
import { discordCommands } from '../../domain/channels/discord-commands.ts'
import { discordEmulator } from '../../emulators/discord/emulator.ts'
import { slackEmulator } from '../../emulators/slack/emulator.ts'
import { telegramEmulator } from '../../emulators/telegram/emulator.ts'
import type { LocalHandler } from '../gateway/local-handler.ts'
import type { JsonObject } from '../template/json.ts'

export interface Channels {
  secrets: Record<string, JsonObject>
  pages: LocalHandler[]
  close(): Promise<void>
}

export interface VendorOptions {
  dataDir: string
  /** Origins of browsers and of the API, without a slash at the end. */
  url: string
  api: string
  log: (line: string) => void
}

/** The secret of Telegram's updates and of our Discord listener. Only this host uses it. */
const webhookSecret = 'local'

export async function startChannels({ dataDir, url, api, log }: VendorOptions): Promise<Channels> {
  const pageUrl = `${url}/local/telegram`
  const telegram = await telegramEmulator.start({
    pagesUrl: pageUrl,
    log,
    username: 'berth_local_bot',
    webhook: { url: `${api}/webhooks/telegram`, secretToken: webhookSecret },
    stateFolder: dataDir,
  })
  const slack = await slackEmulator.start({
    pagesUrl: `${url}/local/slack`,
    log,
    webhookUrl: `${api}/webhooks/slack`,
    stateFolder: dataDir,
  })
  const { scopes: _, ...app } = slack.app
  const discord = await discordEmulator.start({
    pagesUrl: `${url}/local/discord`,
    log,
    name: 'Berth',
    interactionsUrl: `${api}/webhooks/discord`,
    commands: discordCommands,
  })
  const [ada, ben] = ['Ada', 'Ben', 'Chris'].map((name) => discord.account.addUser(name).id)
  discord.account.addServer('Harbour', ada ?? '', [ben ?? ''], ['general', 'random'])
  return {
    secrets: {
      discord: {
        applicationId: discord.application.id,
        publicKey: discord.application.publicKey,
        botToken: discord.application.botToken,
        gatewayKey: webhookSecret,
        apiBase: discord.apiBase,
        startUrl: `${url}/local/discord`,
      },
      slack: { ...app, apiBase: `${slack.apiBase}/` },
      telegram: {
        token: telegram.token,
        webhookSecret,
        username: telegram.username,
        apiBase: telegram.apiBase,
        startUrl: `${pageUrl}?start={code}`,
      },
    },
    pages: [telegram.handle, slack.handle, discord.handle],
    async close() {
      await Promise.all([telegram.stop(), slack.stop(), discord.stop()])
    },
  }
}
