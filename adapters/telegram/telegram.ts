import { createHash, timingSafeEqual } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { MessageEntity, ReplyParameters } from '@grammyjs/types'
import { type ChatPlatform, type Content, type Destination, PlatformError } from '../../app/ports/chat-platform.ts'
import { parseJson } from '../../domain/json.ts'
import { secretReader } from '../aws/secrets.ts'
import type { Env } from '../env.ts'
import { type BotApi, BotApiError, botApi } from './bot-api.ts'
import { type Formatted, formatted, plain } from './formatted.ts'
import { botIdOf, telegramSecret } from './secret.ts'
import { readUpdate } from './update.ts'

/** Telegram's Bot API. It has no idempotency keys, so a retried message appears twice; only edits are idempotent. */
export function telegram(env: Env): ChatPlatform {
  const readSecret = secretReader(env.secret('telegram'), telegramSecret)
  const api = async (): Promise<BotApi> => botApi(await readSecret())

  return {
    async about() {
      const { token, username, startUrl } = await readSecret()
      return token ? { name: `@${username}`, startUrl: startUrl ?? `https://t.me/${username}?start={code}` } : null
    },
    async read({ headers, rawBody }, nowMs) {
      const secret = await readSecret()
      const shown = headers['x-telegram-bot-api-secret-token']
      if (!secret.webhookSecret || !secret.token) return { kind: 'refused', why: 'Telegram is not set up here.' }
      if (!shown || !isSame(shown, secret.webhookSecret)) return { kind: 'refused', why: 'The secret token is wrong.' }
      const bot = { id: botIdOf(secret), username: secret.username }
      const { inbound, answer } = readUpdate(parseJson(rawBody), bot, nowMs)
      return { kind: 'inbound', inbound: inbound ? [inbound] : [], answer: answer as Record<string, unknown> | null }
    },
    send: async (to, content) => send(await api(), to, content),
    edit: async (to, messageId, content) => edit(await api(), to, messageId, content),
    async grow(to, text, { key, messageId }) {
      const bot = await api()
      // Telegram supports drafts only in private chats.
      if (to.chat.kind === 'direct') {
        const chat_id = Number(to.chat.id)
        const draft = { draft_id: draftIdOf(key), can_stop: true } as const
        await firstAccepted([threadOf(to), {}], (place) =>
          orPlain(text, (shown) => bot.call('sendMessageDraft', { chat_id, ...place, ...draft, ...shown })),
        )
        return { messageId: null }
      }
      if (messageId === null) return send(bot, to, { text })
      await edit(bot, to, messageId, { text })
      return { messageId }
    },
    async typing(to) {
      const bot = await api()
      await firstAccepted([threadOf(to), {}], (place) =>
        bot.call('sendChatAction', { chat_id: to.chat.id, ...place, action: 'typing' }),
      )
    },
    async sendFile(to, { name, type, content }) {
      // safe because nothing shares these bytes
      const document = new File([content as Uint8Array<ArrayBuffer>], name, { type })
      const file = { chat_id: to.chat.id, document, disable_content_type_detection: true }
      const bot = await api()
      const { message_id } = await firstAccepted(placesOf(to), (place) =>
        bot.upload('sendDocument', { ...file, ...place }),
      )
      return { messageId: String(message_id) }
    },
    async fetchFile(_, { ref }, maxBytes) {
      const bot = await api()
      const { file_path } = await bot.call('getFile', { file_id: ref })
      if (!file_path) throw new PlatformError('refused', 'Telegram has this file no more.')
      return bot.download(file_path, maxBytes)
    },
    async ownsChat({ id, kind }, personId) {
      if (kind === 'direct') return id === personId
      try {
        const { status } = await (await api()).call('getChatMember', { chat_id: id, user_id: Number(personId) })
        return status === 'creator' || status === 'administrator'
      } catch (error) {
        // An unknown id, perhaps of a chat that somebody speaks for.
        if (error instanceof BotApiError && error.reason === 'refused') return false
        throw error
      }
    },
  }
}

/** Compares in constant time. */
const isSame = (a: string, b: string): boolean => timingSafeEqual(sha256(a), sha256(b))
const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest()

/** One draft per reply; not zero. */
const draftIdOf = (key: string): number => sha256(key).readUInt32BE() & 0x7fffffff || 1

interface Place {
  message_thread_id?: number
  reply_parameters?: ReplyParameters
}

const threadOf = ({ context }: Destination): Place =>
  context.thread ? { message_thread_id: Number(context.thread) } : {}

/** In a group, a reply refers to its message, if that still exists. */
const replyOf = ({ context }: Destination): Place =>
  context.message
    ? { reply_parameters: { message_id: Number(context.message), allow_sending_without_reply: true } }
    : {}

/** First the requested place, then places with fewer conditions, because any answer is better than none. */
const placesOf = (to: Destination): Place[] => [{ ...threadOf(to), ...replyOf(to) }, replyOf(to), {}]

/** Topics can be closed or deleted. Without a thread, Telegram uses that of the answered message. */
const refusedPlace = /message thread not found|TOPIC_(CLOSED|DELETED|ID_INVALID)|message to be replied not found/i

async function firstAccepted<T>([place = {}, ...others]: Place[], send: (place: Place) => Promise<T>): Promise<T> {
  try {
    return await send(place)
  } catch (error) {
    const next = others.filter((other) => !isDeepStrictEqual(other, place))
    if (next.length === 0 || !(error instanceof BotApiError) || !refusedPlace.test(error.description)) throw error
    return firstAccepted(next, send)
  }
}

interface Shown {
  text: string
  entities: MessageEntity[]
}

function bodyOf(shown: Shown, { buttons = [] }: Content) {
  return {
    ...shown,
    // Telegram fetches previews, so an agent's link could leak secrets.
    link_preview_options: { is_disabled: true },
    ...(buttons.length > 0 && {
      reply_markup: { inline_keyboard: buttons.map(({ label, data }) => [{ text: label, callback_data: data }]) },
    }),
  }
}

/** Sends plain text if Telegram refuses the formatting. */
async function orPlain<T>(markdown: string, send: (shown: Formatted) => Promise<T>): Promise<T> {
  const meant = formatted(markdown)
  if (meant.text === '') throw new PlatformError('refused', 'There is nothing to say.')
  try {
    return await send(meant)
  } catch (error) {
    if (!(error instanceof BotApiError) || error.status !== 400 || !/entit/i.test(error.description)) throw error
    return send(plain(markdown))
  }
}

async function send(api: BotApi, to: Destination, content: Content): Promise<{ messageId: string }> {
  const { message_id } = await firstAccepted(placesOf(to), (place) =>
    orPlain(content.text, (text) =>
      api.call('sendMessage', { chat_id: to.chat.id, ...place, ...bodyOf(text, content) }),
    ),
  )
  return { messageId: String(message_id) }
}

async function edit(api: BotApi, to: Destination, messageId: string, content: Content): Promise<void> {
  try {
    await orPlain(content.text, (text) =>
      api.call('editMessageText', {
        chat_id: to.chat.id,
        message_id: Number(messageId),
        ...bodyOf(text, content),
      }),
    )
  } catch (error) {
    // The message already has this text.
    if (error instanceof BotApiError && /message is not modified/i.test(error.description)) return
    throw error
  }
}
