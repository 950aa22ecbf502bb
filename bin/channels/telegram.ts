import { randomBytes } from 'node:crypto'
import { type BotApi, botApi } from '../../adapters/telegram/bot-api.ts'
import { type TelegramSecret, telegramSecret } from '../../adapters/telegram/secret.ts'
import { commands, isAboutMoney } from '../../domain/channels/commands.ts'
import { hourMs, secondMs } from '../../domain/time.ts'
import { type ChannelSetup, check, type Finding, type SetupContext, SetupError, well } from './setup.ts'

const allowedUpdates = [
  'message',
  'edited_message',
  'callback_query',
  'my_chat_member',
  'stopped_message_generation',
] as const

/** Commands about money are offered only in private chats. */
const commandLists = [
  { scope: { type: 'default' }, names: commands.filter(({ name }) => !isAboutMoney(name)) },
  { scope: { type: 'all_private_chats' }, names: commands },
] as const
const listed = (names: readonly { name: string; does: string }[]) =>
  names.map(({ name, does }) => ({ command: name, description: does }))

/** Age in ms up to which an error of the webhook is reported. */
const recentMs = hourMs
const probeMs = 10 * secondMs

export const telegram: ChannelSetup = {
  async setup(context) {
    const before = telegramSecret.parse(await context.readSecret())
    const token = context.given('TELEGRAM_BOT_TOKEN') ?? before.token
    if (!token) throw new SetupError('Create a bot with @BotFather, and set TELEGRAM_BOT_TOKEN to its token.')
    if (!before.apiBase && !context.webhookUrl.startsWith('https://'))
      throw new SetupError(`Telegram calls only https addresses, but this one is ${context.webhookUrl}.`)
    const api = botApi({ ...before, token })
    const me = await api.call('getMe', {})
    const webhookSecret = before.webhookSecret || randomBytes(32).toString('base64url')
    // Write the secret first, so that the webhook accepts the next update. Telegram repeats updates that were refused.
    await context.writeSecret({ ...before, token, webhookSecret, username: me.username })
    await api.call('setWebhook', {
      url: context.webhookUrl,
      secret_token: webhookSecret,
      allowed_updates: allowedUpdates,
    })
    for (const { scope, names } of commandLists) await api.call('setMyCommands', { commands: listed(names), scope })
    context.say(`@${me.username} now calls ${context.webhookUrl}.`)
    const [startUrl] = (before.startUrl ?? `https://t.me/${me.username}`).split('?')
    context.say(`Users write to it at ${startUrl}.`)
    if (!me.can_join_groups)
      context.say('The bot may not join groups. To change this, send /setjoingroups to @BotFather.')
    if (!me.can_read_all_group_messages)
      context.say(
        'In groups, the bot receives only commands, mentions and replies. To change this, send /setprivacy to @BotFather.',
      )
  },

  async *doctor(context) {
    const secret = telegramSecret.parse(await context.readSecret())
    if (!secret.token) {
      yield { name: 'secret', found: 'not set up (channels setup telegram)', problem: null }
      return
    }
    const api = botApi(secret)
    const named = await check('bot', () => examineBot(api, secret))
    yield named
    // The other checks would fail for the same reason.
    if (named.problem) return
    yield check('webhook', () => examineWebhook(api, context))
    yield check('commands', () => examineCommands(api))
    yield check('webhook secret', () => examineWebhookSecret(secret, context))
    yield check('message', () => sendMessage(api, context))
  },
}

const again = 'Run channels setup telegram again.'

async function examineBot(api: BotApi, { username }: TelegramSecret): Promise<Finding> {
  const me = await api.call('getMe', {})
  const found = `@${me.username}`
  return me.username === username ? well(found) : { found, problem: `The secret says @${username}. ${again}` }
}

async function examineWebhook(api: BotApi, { webhookUrl }: SetupContext): Promise<Finding> {
  const { url, allowed_updates = [], pending_update_count, ...last } = await api.call('getWebhookInfo', {})
  const state = `${url || 'none'}, ${pending_update_count} waiting`
  if (url !== webhookUrl) return { found: state, problem: `It must be ${webhookUrl}. ${again}` }
  const missing = allowedUpdates.filter((kind) => !allowed_updates.includes(kind))
  if (missing.length > 0)
    return { found: state, problem: `The webhook does not receive ${missing.join(', ')}. ${again}` }
  const failedMs = (last.last_error_date ?? 0) * secondMs
  if (failedMs > Date.now() - recentMs)
    return { found: state, problem: `${new Date(failedMs).toISOString()}: ${last.last_error_message}.` }
  return well(state)
}

async function examineCommands(api: BotApi): Promise<Finding> {
  for (const { scope, names } of commandLists) {
    const known = await api.call('getMyCommands', { scope })
    const same = JSON.stringify(known.map(({ command }) => command)) === JSON.stringify(names.map(({ name }) => name))
    if (!same) return { found: `${known.length} for ${scope.type}`, problem: again }
  }
  return well(`${commands.length}`)
}

/** The webhook accepts requests with the secret, and rejects all others. */
async function examineWebhookSecret({ webhookSecret }: TelegramSecret, { webhookUrl }: SetupContext): Promise<Finding> {
  const ask = async (headers: Record<string, string>): Promise<number> => {
    // An update without content.
    const body = JSON.stringify({ update_id: 0 })
    const all = { 'content-type': 'application/json', ...headers }
    const signal = AbortSignal.timeout(probeMs)
    const answered = await fetch(webhookUrl, { method: 'POST', headers: all, body, signal }).catch(() => null)
    await answered?.body?.cancel()
    return answered?.status ?? 0
  }
  const [open, closed] = [await ask({ 'x-telegram-bot-api-secret-token': webhookSecret }), await ask({})]
  const statuses = `${open} with the secret, ${closed} without`
  if (open !== 200)
    return {
      found: statuses,
      problem: 'A request with the secret must get 200. Functions read a new secret within five minutes.',
    }
  return closed >= 400 && closed < 500
    ? well(statuses)
    : { found: statuses, problem: 'A request without the secret must be refused.' }
}

async function sendMessage(api: BotApi, { chat, publicOrigin }: SetupContext): Promise<Finding> {
  if (!chat) return well('not tested: --chat <the id of a chat with the bot>')
  const { message_id } = await api.call('sendMessage', { chat_id: chat, text: `A test message from ${publicOrigin}.` })
  return well(`accepted as ${message_id}`)
}
