import { text } from 'node:stream/consumers'
import { discordPlatform } from '../../../adapters/discord/discord.ts'
import type { DiscordSecret } from '../../../adapters/discord/secret.ts'
import type { ChatPlatform, Destination, WebhookReading } from '../../../app/ports/chat-platform.ts'
import type { Inbound } from '../../../domain/channels/inbound.ts'
import type { Channel } from '../../../emulators/discord/records.ts'
import { type TestDiscord, testDiscord } from '../../../emulators/discord/test/discord.ts'

export const gatewayKey = 'the key of the listener'

export interface World extends TestDiscord {
  secret: DiscordSecret
  platform: ChatPlatform
  /** The webhook's readings in the order of arrival, refused ones included. */
  readings: WebhookReading[]
  /** The inbound events among them. */
  inbound(): Inbound[]
  to(channel: Channel, context?: Record<string, string>): Destination
}

/** The emulator with a webhook that uses our adapter, over real HTTP. */
export async function discordWorld(options: { heartbeatMs?: number } = {}): Promise<World> {
  const readings: WebhookReading[] = []
  const discord = await testDiscord({
    ...options,
    async webhook(request, response) {
      const rawBody = await text(request)
      const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
      const reading = await platform.read({ headers, rawBody }, Date.now()).catch(() => null)
      if (reading === null) return response.writeHead(500).end()
      readings.push(reading)
      if (reading.kind === 'refused') return response.writeHead(401).end()
      if (reading.answer === null) return response.writeHead(204).end()
      return response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(reading.answer))
    },
  })
  const { application, apiBase } = discord.emulator
  const { id: applicationId, publicKey, botToken } = application
  const secret = { applicationId, publicKey, botToken, gatewayKey, apiBase }
  const platform = discordPlatform(async () => secret)
  return {
    ...discord,
    secret,
    platform,
    readings,
    inbound: () => readings.flatMap((reading) => (reading.kind === 'inbound' ? reading.inbound : [])),
    to: (channel, context = {}) => ({
      chat: { platform: 'discord', id: channel.id, kind: channel.guild_id ? 'group' : 'direct' },
      context,
    }),
  }
}
