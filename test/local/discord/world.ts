import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { discordPlatform } from '../../../adapters/discord/discord.ts'
import type { DiscordSecret } from '../../../adapters/discord/secret.ts'
import type { ChatPlatform, Destination, WebhookReading } from '../../../app/ports/chat-platform.ts'
import type { Inbound } from '../../../domain/channels/inbound.ts'
import { type DiscordEmulator, startDiscordEmulator } from '../../../local/discord/emulator.ts'
import type { Channel } from '../../../local/discord/records.ts'

export const gatewayKey = 'the key of the listener'

export const commands = [
  { name: 'status', description: 'How the agent is' },
  { name: 'link', description: 'Link this chat', options: [{ type: 3, name: 'code', description: 'The code' }] },
  {
    name: 'ask',
    description: 'Ask the agent',
    options: [
      { type: 3, name: 'message', description: 'What' },
      { type: 11, name: 'file', description: 'With it' },
    ],
  },
]

export interface World {
  emulator: DiscordEmulator
  secret: DiscordSecret
  platform: ChatPlatform
  /** The webhook's readings in the order of arrival, refused ones included. */
  readings: WebhookReading[]
  /** The inbound events among them. */
  inbound(): Inbound[]
  webhookUrl: string
  pageUrl: string
  /** Statuses that the webhook returns next instead of reading. */
  answers: number[]
  people: Record<'ada' | 'ben', string>
  direct: Channel
  general: Channel
  to(channel: Channel, context?: Record<string, string>): Destination
  close(): Promise<void>
}

const listen = async (server: Server): Promise<string> => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}` // safe because the server listens on a port
}

/** The stand-in with a webhook that uses our adapter, over real HTTP. */
export async function discordWorld(options: { heartbeatMs?: number } = {}): Promise<World> {
  const readings: WebhookReading[] = []
  const answers: number[] = []
  const webhook = createServer(async (request, response) => {
    const rawBody = await text(request)
    const status = answers.shift()
    if (status !== undefined) return response.writeHead(status).end()
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
    const reading = await platform.read({ headers, rawBody }, Date.now()).catch(() => null)
    if (reading === null) return response.writeHead(500).end()
    readings.push(reading)
    if (reading.kind === 'refused') return response.writeHead(401).end()
    if (reading.answer === null) return response.writeHead(204).end()
    return response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(reading.answer))
  })
  const page = createServer(async (request, response) => {
    if (!(await emulator.handle(request, response))) response.writeHead(418).end()
  })
  const webhookUrl = await listen(webhook)
  const pageUrl = `${await listen(page)}/local/discord`
  const emulator = await startDiscordEmulator({
    pageUrl,
    interactionsUrl: webhookUrl,
    name: 'Agent',
    commands,
    log: () => {},
    ...options,
  })
  const { application, account } = emulator
  const secret = {
    applicationId: application.id,
    publicKey: application.publicKey,
    botToken: application.botToken,
    gatewayKey,
    apiBase: emulator.apiBase,
  }
  const platform = discordPlatform(async () => secret)
  const [ada, ben] = [account.addUser('Ada'), account.addUser('Ben')]
  const server = account.addServer('Harbour', ada.id, [ben.id], ['general', 'random'])
  const [general] = account.channelsOf(server.id)
  const direct = account.directOf(ada.id)
  if (!general || !direct) throw new Error('the world has no channels')
  return {
    emulator,
    secret,
    platform,
    readings,
    inbound: () => readings.flatMap((reading) => (reading.kind === 'inbound' ? reading.inbound : [])),
    webhookUrl,
    pageUrl,
    answers,
    people: { ada: ada.id, ben: ben.id },
    direct,
    general,
    to: (channel, context = {}) => ({
      chat: { platform: 'discord', id: channel.id, kind: channel.guild_id ? 'group' : 'direct' },
      context,
    }),
    async close() {
      await emulator.close()
      for (const each of [webhook, page]) {
        each.closeAllConnections()
        each.close()
      }
    },
  }
}
