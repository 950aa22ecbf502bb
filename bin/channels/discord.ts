import { randomBytes } from 'node:crypto'
import * as z from 'zod'
import { callDiscord } from '../../adapters/discord/api.ts'
import { type DiscordSecret, discordSecret } from '../../adapters/discord/secret.ts'
import { listenerHeaders } from '../../adapters/discord/sender.ts'
import { PlatformError } from '../../app/ports/chat-platform.ts'
import { discordCommands } from '../../domain/channels/discord-commands.ts'
import { secondMs } from '../../domain/time.ts'
import { type ChannelSetup, check, type Finding, type SetupContext, SetupError, well } from './setup.ts'

const application = z.object({
  id: z.string(),
  name: z.string(),
  verify_key: z.string(),
  interactions_endpoint_url: z.string().nullish(),
  flags: z.int().optional().default(0),
})
const named = z.array(z.object({ name: z.string() }))

/** Flags of an application that may read message content: in any number of servers, or in fewer than 100. */
const readsAll = (1 << 18) | (1 << 19)

/** View channels, send messages (in threads too), attach files, read history. */
const permissions = (1n << 10n) | (1n << 11n) | (1n << 15n) | (1n << 16n) | (1n << 38n)

const probeMs = 10 * secondMs
const again = 'Run channels setup discord again.'

const commandsPath = (id: string) => `/applications/${id}/commands`

/** A secret that was never written is empty. */
const current = async (context: SetupContext): Promise<DiscordSecret> => discordSecret.parse(await context.readSecret())

export const discord: ChannelSetup = {
  async setup(context) {
    const before = await current(context)
    const botToken = context.given('DISCORD_BOT_TOKEN') ?? before.botToken
    if (!botToken)
      throw new SetupError(
        'Create an application at https://discord.com/developers/applications, and set DISCORD_BOT_TOKEN to its bot’s token.',
      )
    const asBot = { ...before, botToken }
    const {
      id,
      name,
      verify_key: publicKey,
    } = await callDiscord(asBot, { method: 'GET', path: '/applications/@me' }, application)
    const gatewayKey = before.gatewayKey || randomBytes(32).toString('base64url')
    // Write the secret first, because Discord probes the address before it accepts it.
    await context.writeSecret({ ...asBot, applicationId: id, publicKey, gatewayKey })
    await callDiscord(asBot, { method: 'PUT', path: commandsPath(id), body: discordCommands }, named)
    context.say(`Registered ${discordCommands.length} commands for ${name}, and wrote the secret.`)
    await registerAddress(asBot, context)
    context.say(`Users add the bot to their servers at ${inviteOf(id)}`)
    context.say(
      'Only the listener receives plain messages (-c discordGateway=on). To let it read messages that do not mention',
    )
    context.say(`the bot, enable "Message Content Intent": https://discord.com/developers/applications/${id}/bot`)
    context.say('Restart a running listener, so that it reads the new secret.')
  },

  async *doctor(context) {
    const secret = await current(context)
    if (!secret.botToken) {
      yield { name: 'secret', found: 'not set up (channels setup discord)', problem: null }
      return
    }
    const known = await check('application', () => examineApplication(secret))
    yield known
    // The other checks would fail for the same reason.
    if (known.problem) return
    yield check('address', () => examineAddress(secret, context))
    yield check('commands', () => examineCommands(secret))
    yield check('webhook', () => examineWebhook(secret, context))
    yield check('message', () => sendMessage(secret, context))
  },
}

const inviteOf = (id: string) =>
  `https://discord.com/oauth2/authorize?client_id=${id}&scope=bot+applications.commands&permissions=${permissions}`

async function registerAddress(secret: DiscordSecret, { webhookUrl, say }: SetupContext): Promise<void> {
  try {
    const body = { interactions_endpoint_url: webhookUrl }
    await callDiscord(secret, { method: 'PATCH', path: '/applications/@me', body }, application)
    say(`Discord now calls ${webhookUrl}.`)
  } catch (error) {
    if (!(error instanceof PlatformError) || error.reason !== 'refused') throw error
    say(
      `Discord does not accept ${webhookUrl} yet. Functions read the secret within five minutes; then run this again.`,
    )
  }
}

const find = (secret: DiscordSecret) => callDiscord(secret, { method: 'GET', path: '/applications/@me' }, application)

async function examineApplication(secret: DiscordSecret): Promise<Finding> {
  const { id, name, verify_key, flags } = await find(secret)
  const found = `${name}, which reads ${flags & readsAll ? 'all messages of its servers' : 'only messages that mention it'}`
  const same = id === secret.applicationId && verify_key === secret.publicKey
  return same ? well(found) : { found, problem: `The secret belongs to another application. ${again}` }
}

async function examineAddress(secret: DiscordSecret, { webhookUrl }: SetupContext): Promise<Finding> {
  const found = (await find(secret)).interactions_endpoint_url || 'none'
  return found === webhookUrl ? well(found) : { found, problem: `It must be ${webhookUrl}. ${again}` }
}

async function examineCommands(secret: DiscordSecret): Promise<Finding> {
  const known = await callDiscord(secret, { method: 'GET', path: commandsPath(secret.applicationId) }, named)
  const missing = discordCommands.filter(({ name }) => !known.some((each) => each.name === name))
  return missing.length === 0
    ? well(`${known.length}`)
    : { found: `${known.length}`, problem: `Missing: ${missing.map(({ name }) => `/${name}`).join(', ')}. ${again}` }
}

/** The webhook accepts events that the listener signed, and rejects unsigned ones. */
async function examineWebhook(secret: DiscordSecret, { webhookUrl }: SetupContext): Promise<Finding> {
  // A body without events.
  const body = JSON.stringify({ application_id: secret.applicationId, self: secret.applicationId, events: [] })
  const ask = async (headers: Record<string, string>): Promise<number> => {
    const all = { 'content-type': 'application/json', ...headers }
    const signal = AbortSignal.timeout(probeMs)
    const answered = await fetch(webhookUrl, { method: 'POST', headers: all, body, signal }).catch(() => null)
    await answered?.body?.cancel()
    return answered?.status ?? 0
  }
  const [signed, unsigned] = [await ask(listenerHeaders(secret.gatewayKey, body, Date.now())), await ask({})]
  const statuses = `${signed} with a signature, ${unsigned} without`
  if (signed !== 200 && signed !== 204)
    return {
      found: statuses,
      problem: 'A signed request must get 200. Functions read a new secret within five minutes.',
    }
  return unsigned === 401
    ? well(statuses)
    : { found: statuses, problem: 'A request without a signature must be refused.' }
}

async function sendMessage(secret: DiscordSecret, { chat, publicOrigin }: SetupContext): Promise<Finding> {
  if (!chat) return well('not tested: --chat <the id of a channel with the bot>')
  const path = `/channels/${encodeURIComponent(chat)}/messages`
  const body = { content: `A test message from ${publicOrigin}.`, allowed_mentions: { parse: [] } }
  const { id } = await callDiscord(secret, { method: 'POST', path, body }, z.object({ id: z.string() }))
  return well(`accepted as ${id}`)
}
