import type { Channel, Message } from '../records.ts'
import { cannotMessage, invalidForm, missingAccess, notAuthor, unknown } from './errors.ts'
import { readMessageBody, saidBy } from './message-body.ts'
import { type Discord, route } from './route.ts'

const five = { requests: 5, windowMs: 5_000 }

/** @throws ApiError 10003, 50001, 50007 */
function channelFor({ account }: Discord, id = '', toSpeak = false): Channel {
  const channel = account.channels.get(id)
  if (!channel) throw unknown.channel()
  if (!account.isIn(channel, account.bot.id)) throw missingAccess()
  if (toSpeak && channel.recipient && account.blocking.has(channel.recipient.id)) throw cannotMessage()
  return channel
}

/** @throws ApiError 10008 */
function messageIn(channel: Channel, id = ''): Message {
  const found = channel.messages.find((message) => message.id === id)
  if (!found) throw unknown.message()
  return found
}

/** The messages that a new one of the bot's answers. @throws ApiError when it must be there and is not */
function answered(
  channel: Channel,
  reference: { message_id: string; fail_if_not_exists?: boolean | undefined } | undefined,
) {
  if (!reference) return null
  const found = channel.messages.find(({ id }) => id === reference.message_id)
  if (!found && reference.fail_if_not_exists !== false)
    throw invalidForm('message_reference', 'REPLIES_UNKNOWN_MESSAGE', 'Unknown message')
  return found ?? null
}

export const messageRoutes = [
  route('GET', '/channels/{channel}', (discord, { path }) => {
    const channel = channelFor(discord, path.channel)
    return discord.presentChannel(channel)
  }),
  route(
    'POST',
    '/channels/{channel}/messages',
    (discord, request) => {
      const { account } = discord
      const channel = channelFor(discord, request.path.channel, true)
      const body = readMessageBody(request)
      const known = body.enforce_nonce ? account.madeUnder(account.bot.id, String(body.nonce)) : null
      if (known) return discord.present(known)
      const answers = answered(channel, body.message_reference)
      return discord.present(account.say(channel, account.bot, { ...saidBy(body, request.files), answers }))
    },
    { limit: five },
  ),
  route('GET', '/channels/{channel}/messages', (discord, { path, query }) => {
    const channel = channelFor(discord, path.channel)
    const [after, before] = [query.get('after'), query.get('before')]
    const limit = Math.min(100, Number(query.get('limit') ?? 50))
    const found = discord.account.history(channel, { ...(after && { after }), ...(before && { before }), limit })
    return found.map((message) => discord.presentToBot(message))
  }),
  route('GET', '/channels/{channel}/messages/{message}', (discord, { path }) =>
    discord.presentToBot(messageIn(channelFor(discord, path.channel), path.message)),
  ),
  route(
    'PATCH',
    '/channels/{channel}/messages/{message}',
    (discord, request) => {
      const { account } = discord
      const message = messageIn(channelFor(discord, request.path.channel), request.path.message)
      if (message.author.id !== account.bot.id) throw notAuthor()
      const body = readMessageBody(request)
      const { content, components, flags, mayMention } = saidBy(
        { ...body, content: body.content ?? message.content },
        message.attachments,
      )
      account.edit(message, { content, flags, mayMention, ...(body.components && { components }) })
      return discord.present(message)
    },
    { limit: five },
  ),
  route('DELETE', '/channels/{channel}/messages/{message}', (discord, { path }) => {
    discord.account.delete(messageIn(channelFor(discord, path.channel), path.message))
    return null
  }),
  route(
    'POST',
    '/channels/{channel}/typing',
    (discord, { path }) => {
      discord.account.type(channelFor(discord, path.channel, true))
      return null
    },
    { limit: five },
  ),
  route('POST', '/users/@me/channels', (discord, { body }) => {
    const channel = discord.account.directOf(String(body.recipient_id))
    if (!channel) throw unknown.user()
    return discord.presentChannel(channel)
  }),
]
