/** Emulators of the chat platforms, each with a chat page. */
import { join } from 'node:path'
import * as z from 'zod'
import { discordCommands } from '../../domain/channels/discord-commands.ts'
import { startDiscordEmulator } from '../../emulators/discord/emulator.ts'
import { openState } from '../../emulators/kit/state-file.ts'
import { startSlackEmulator } from '../../emulators/slack/emulator.ts'
import { startTelegramEmulator } from '../../emulators/telegram/emulator.ts'
import type { LocalHandler } from '../gateway/local-handler.ts'
import type { JsonObject } from '../template/json.ts'

export interface Channels {
  secrets: Record<string, JsonObject>
  pages: LocalHandler[]
  close(): Promise<void>
}

interface ChannelOptions {
  dataDir: string
  /** Origins of browsers and of the API, without a slash at the end. */
  url: string
  api: string
  log: (line: string) => void
}

/** The secret of Telegram's updates and of our Discord listener. Only this host uses it. */
const webhookSecret = 'local'

export async function startChannels({ dataDir, url, api, log }: ChannelOptions): Promise<Channels> {
  const pageUrl = `${url}/local/telegram`
  const telegram = await startTelegramEmulator({
    pageUrl,
    log,
    username: 'berth_local_bot',
    webhook: { url: `${api}/webhooks/telegram`, secretToken: webhookSecret },
    storage: fileStorage(join(dataDir, 'telegram.json')),
  })
  const slack = await startSlackEmulator({
    pageUrl: `${url}/local/slack`,
    log,
    webhookUrl: `${api}/webhooks/slack`,
    storage: fileStorage(join(dataDir, 'slack.json')),
  })
  const { scopes: _, ...app } = slack.app
  const discord = await startDiscordEmulator({
    pageUrl: `${url}/local/discord`,
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
      await Promise.all([telegram.close(), slack.close(), discord.close()])
    },
  }
}

function fileStorage(path: string) {
  const file = openState<unknown>(path, z.unknown(), undefined)
  return {
    load: () => file.value,
    save(state: object) {
      file.value = state
      file.save()
    },
  }
}
