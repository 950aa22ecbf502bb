/** Converts Telegram's updates to events in a chat. */
import type * as z from 'zod'
import {
  type Chat,
  type Happening,
  type Inbound,
  maxFiles,
  type Person,
  type ReplyContext,
} from '../../domain/channels/inbound.ts'
import { isBlank } from '../../domain/channels/pointed.ts'
import { cut } from '../../domain/text.ts'
import { iso, secondMs } from '../../domain/time.ts'
import { filesOf, nameOf, personOf, pointedIn, wordsOf } from './content.ts'
import { type chat, type Message, update } from './wire.ts'

interface Bot {
  id: number
  username: string
}

/** Converts an update to an event (null if it has none for us) and Telegram's immediate answer. Never throws. */
export function readUpdate(json: unknown, bot: Bot, nowMs: number): { inbound: Inbound | null; answer: object | null } {
  const read = update.safeParse(json)
  if (!read.success) return { inbound: null, answer: null }
  const {
    update_id,
    message: sent,
    edited_message,
    callback_query,
    my_chat_member,
    stopped_message_generation,
  } = read.data
  const none = { inbound: null, answer: null }
  if (sent) return { ...none, inbound: ofMessage(sent, bot) }
  if (edited_message) return { ...none, inbound: ofEdit(edited_message) }
  if (callback_query) {
    const { id, from, message: under, data } = callback_query
    // The button shows a spinner until this answer.
    const answer = { method: 'answerCallbackQuery', callback_query_id: id }
    if (!under || data === undefined) return { ...none, answer }
    const what: Happening = { kind: 'button', data: cut(data, 100), messageId: String(under.message_id) }
    // A press has no time. The time of its message is earlier, and is the same in a redelivery.
    const seconds = Math.max(under.date, under.edit_date ?? 0)
    return { inbound: made(under, personOf(from), what, seconds, `press.${id}`), answer }
  }
  if (my_chat_member && ['left', 'kicked'].includes(my_chat_member.new_chat_member.status)) {
    const { chat, from, date } = my_chat_member
    return { ...none, inbound: made({ chat }, personOf(from), { kind: 'removed' }, date, `removed.${from.id}`) }
  }
  if (stopped_message_generation) {
    const what: Happening = { kind: 'command', name: 'stop', argument: '' }
    const { chat, draft_id, message_thread_id } = stopped_message_generation
    // A private chat has its person's name.
    const person: Person = { id: String(chat.id), name: nameOf(chat), bot: false }
    // Telegram sends no time here. The id must be the same in a redelivery.
    const topic = { chat, message_thread_id, is_topic_message: message_thread_id !== undefined }
    const inbound = made(topic, person, what, 0, `stop.${draft_id}.${update_id}`)
    return { ...none, inbound: inbound && { ...inbound, at: iso(nowMs) } }
  }
  return none
}

function ofMessage(sent: Message, bot: Bot): Inbound | null {
  const moved = movedIn(sent)
  if (moved) {
    // Telegram is the source, whatever sender it names.
    const itself: Person = { id: String(sent.chat.id), name: nameOf(sent.chat), bot: false }
    return made(sent, itself, { kind: 'removed', moved }, sent.date, padded(sent.message_id))
  }
  const what = happeningOf(sent, bot)
  return what && made(sent, senderOf(sent), what, sent.date, padded(sent.message_id))
}

function ofEdit(sent: Message): Inbound | null {
  const at = sent.edit_date ?? sent.date
  return made(sent, senderOf(sent), { kind: 'edited' }, at, `${padded(sent.message_id)}.edited`)
}

/** @param at seconds since the epoch @param id unique within its chat and second */
function made(
  where: { chat: z.infer<typeof chat>; message_thread_id?: number | undefined; is_topic_message?: boolean | undefined },
  person: Person | null,
  what: Happening,
  at: number,
  id: string,
): Inbound | null {
  const { chat } = where
  // Channels have no individual speaker.
  if (!person || chat.type === 'channel') return null
  return {
    id: `${padded(at)}.${id}`,
    chat: chatOf(chat),
    person,
    context: contextOf(where, what),
    at: iso(Math.min(at * secondMs, latestMs)),
    what,
  }
}

/** Later years have a sign in ISO 8601. */
const latestMs = Date.UTC(9999, 0)
const padded = (count: number): string => String(count).padStart(12, '0')

function chatOf({ id, type, title }: z.infer<typeof chat>): Chat {
  const kind = type === 'private' ? 'direct' : 'group'
  return { platform: 'telegram', id: String(id), kind, ...(title && { title: cut(title, 200) }) }
}

/** The default topic of a forum. Telegram does not treat it as a thread. */
const generalTopic = 1

function contextOf(
  { chat, message_thread_id, is_topic_message, ...rest }: Parameters<typeof made>[0] & { message_id?: number },
  { kind }: Happening,
): ReplyContext {
  // Telegram names a thread for each chain of replies, but accepts only topics' threads for messages.
  const inTopic = is_topic_message === true && message_thread_id !== undefined && message_thread_id !== generalTopic
  return {
    ...(inTopic && { thread: String(message_thread_id) }),
    // In a group, a reply refers to its message.
    ...(chat.type !== 'private' &&
      (kind === 'message' || kind === 'command') &&
      rest.message_id !== undefined && { message: String(rest.message_id) }),
  }
}

/** A message in a chat's name belongs to no known person, whatever account is in `from`. */
function senderOf({ from, sender_chat }: Message): Person | null {
  if (sender_chat) return { id: String(sender_chat.id), name: nameOf(sender_chat), bot: false }
  return from ? personOf(from) : null
}

/** A group that becomes a supergroup gets another id: the old chat names the new id, the new chat the old one. */
function movedIn({ chat, migrate_to_chat_id: to, migrate_from_chat_id: from }: Message) {
  if (chat.type === 'private') return null
  if (to !== undefined) return { from: String(chat.id), to: String(to) }
  return from === undefined ? null : { from: String(from), to: String(chat.id) }
}

function happeningOf(sent: Message, bot: Bot): Happening | null {
  const { pointed, files } = pointedIn(sent, bot.id)
  // Forwarded words are not the sender's.
  const said = sent.forward_origin ? '' : wordsOf(sent).toWellFormed()
  const all = [...filesOf(sent), ...files].slice(0, maxFiles)
  if (all.length === 0 && isBlank(said) && pointed.length === 0) return null
  const album = sent.media_group_id && cut(sent.media_group_id, 100)
  const words = { text: said, files: all, ...(pointed.length > 0 && { pointed }), ...(album && { album }) }
  return commandOf(sent, bot) ?? { kind: 'message', ...words, addressed: isAddressed(sent, bot) }
}

/** `/name@bot argument` at the beginning; commands for another bot are ignored. */
function commandOf(sent: Message, { username }: Bot): Happening | null {
  if (sent.forward_origin) return null
  const first = sent.entities?.find((entity) => entity?.offset === 0 && entity.type === 'bot_command')
  const [, name, to, argument = ''] = /^\/(\w{1,64})(?:@(\w+))?(?:\s+([\s\S]*))?$/.exec(sent.text ?? '') ?? []
  if (!first || !name || (to !== undefined && to.toLowerCase() !== username.toLowerCase())) return null
  return { kind: 'command', name: name.toLowerCase(), argument: cut(argument.trim(), 4000) }
}

function isAddressed(sent: Message, bot: Bot): boolean {
  if (sent.chat.type === 'private') return true
  if (sent.reply_to_message?.from?.id === bot.id) return true
  // In a forwarded message, somebody else mentioned the bot.
  if (sent.forward_origin) return false
  const words = sent.text ?? sent.caption ?? ''
  return (sent.entities ?? sent.caption_entities ?? []).some((entity) => {
    if (entity?.type === 'text_mention') return entity.user?.id === bot.id
    const named = words.slice(entity?.offset, (entity?.offset ?? 0) + (entity?.length ?? 0)).toLowerCase()
    return entity?.type === 'mention' && named === `@${bot.username.toLowerCase()}`
  })
}
