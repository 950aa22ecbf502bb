import * as z from 'zod'
import { textOfBase64, toBase64Url } from '../base64.ts'
import { maxTextCharacters } from '../chat/text-limits.ts'
import { cut } from '../text.ts'
import { dayMs, hourMs, iso, minuteMs, secondMs } from '../time.ts'
import { timestamp } from '../timestamp.ts'
import { type Chat, chat, chatKey, type Inbound, inbound, type ReplyContext, replyContext } from './inbound.ts'
import { platform } from './platform.ts'
import { isBlank, lineOf } from './pointed.ts'

/** Longer than any platform repeats a delivery, ms. */
export const deliveryKeptMs = 7 * dayMs

/** The writer or claimer of a delivery alone may complete it in this time, ms; then the sweep does. */
const ownTimeMs = minuteMs

/** Duration of the exclusive right to send a message's parts, ms: longer than any of our functions runs. */
export const heldMs = 3 * minuteMs

/** Interval of checks whether a reply without its last words will get any, ms. */
export const openCheckMs = 10 * minuteMs

/** Waits after each failure, ms; after the last one the delivery has failed. */
export const retryDelaysMs = [
  5 * secondMs,
  30 * secondMs,
  2 * minuteMs,
  10 * minuteMs,
  30 * minuteMs,
  2 * hourMs,
  6 * hourMs,
  12 * hourMs,
] as const

/** The same for inbound messages; later messages of the chat wait meanwhile. */
export const inboundRetryDelaysMs = [5 * secondMs, 30 * secondMs, 2 * minuteMs, 10 * minuteMs] as const

const inboundState = z.enum(['received', 'done', 'ignored', 'failed'])

export const inboundDelivery = z.object({
  inbound,
  messageId: z.string(),
  state: inboundState,
  failures: z.int(),
  /** In words, for an ignored or failed message. */
  reason: z.string().nullable().default(null),
  /** Absent until known. */
  userId: z.string().optional(),
  /** Time of the next try, ms since 1970; absent once it is done. */
  dueAt: z.int().optional(),
  createdAt: timestamp,
})
export type InboundDelivery = z.infer<typeof inboundDelivery>

/** More than the agent takes, wherever the last whole character ends. */
const keptCharacters = maxTextCharacters + 100

/** Cuts a text that is too long for the agent; it is refused later. */
export function newInboundDelivery(happened: Inbound, messageId: string, nowMs: number): InboundDelivery {
  const { what } = happened
  const kept = what.kind === 'message' ? { ...what, text: cut(what.text, keptCharacters) } : what
  return {
    inbound: { ...happened, what: kept },
    messageId,
    state: 'received',
    failures: 0,
    reason: null,
    dueAt: nowMs + ownTimeMs,
    createdAt: iso(nowMs),
  }
}

const button = z.object({ data: z.string().max(64), label: z.string() })

const finalContent = z.object({
  text: z.string(),
  buttons: z.array(button).optional(),
  attachments: z.array(z.string()).optional(),
})
export type FinalContent = z.infer<typeof finalContent>

/**
 * A message to a chat, sent as one or more there: an agent's reply from its first word on, or a text of the service.
 */
export const outgoing = z.object({
  userId: z.string(),
  /**
   * `prm_…` of a reply, `msg_…` of an unsolicited message, `qst_…` of a question, `line#…` of the service's own texts.
   */
  key: z.string(),
  chat,
  context: replyContext,
  /** `open` until its last words are known. */
  state: z.enum(['open', 'sending', 'sent', 'failed']),
  draft: z.string().optional(),
  final: finalContent.optional(),
  /** Replacements of its last words. */
  revision: z.int().default(0),
  failures: z.int().default(0),
  reason: z.string().nullable().default(null),
  /** Time of the next try, ms since 1970; absent when there is nothing to do. */
  dueAt: z.int().optional(),
  createdAt: timestamp,
})
export type Outgoing = z.infer<typeof outgoing>

const ofLines = 'line#'

export const lineKey = (name: string): string => `${ofLines}${name}`
export const isLineKey = (key: string): boolean => key.startsWith(ofLines)

export const ready = (
  { userId, chat, context }: { userId: string; chat: Chat; context: ReplyContext },
  key: string,
  final: FinalContent,
  nowMs: number,
): Outgoing => ({
  userId,
  key,
  chat,
  context,
  state: 'sending',
  final,
  revision: 0,
  failures: 0,
  reason: null,
  dueAt: nowMs,
  createdAt: iso(nowMs),
})

export const sentSoFar = z.object({
  /** The platform's ids of its messages, in order. */
  messageIds: z.array(z.string()).default([]),
  /** Set where the messages are in another chat than the message's own. */
  chatId: z.string().optional(),
  /** Number of messages with their final text in this revision. */
  finished: z.int().default(0),
  revision: z.int().default(0),
  files: z.int().default(0),
  /** The growing message's text, and its time, ms since 1970. */
  shown: z.string().default(''),
  shownMs: z.int().default(0),
  /** The platform's rate limit ends then, ms since 1970. */
  waitUntilMs: z.int().default(0),
  /** End of the exclusive right to send, ms since 1970. */
  heldUntilMs: z.int().default(0),
})
export type SentSoFar = z.infer<typeof sentSoFar>

export const sentIn = ({ chat }: Pick<Outgoing, 'chat'>, { chatId }: Pick<SentSoFar, 'chatId'>): string =>
  chatId ?? chat.id

export const delivery = z
  .object({
    id: z.string().meta({ example: 'in.dGVsZWdyYW0jNDI' }),
    direction: z.enum(['in', 'out']),
    platform,
    chat: z.string().meta({
      description: 'The id of the linked chat; empty once it is unlinked.',
      example: 'lnk_01KAHB2N3P4Q5R6S7T8V9WXYZ0',
    }),
    state: z.enum(['received', 'done', 'ignored', 'open', 'sending', 'sent', 'failed']),
    text: z.string().meta({ description: 'The beginning of the text.', example: 'What is on today?' }),
    failures: z.int(),
    reason: z
      .string()
      .nullable()
      .meta({ description: 'The reason why it was ignored or failed.', example: 'the chat is no more' }),
    nextTryAt: timestamp.nullable(),
    at: timestamp,
  })
  .meta({ id: 'ChannelDelivery' })
export type Delivery = z.infer<typeof delivery>

/** Contains the ids of the chat and the message. */
const deliveryIdPattern = /^(in|out)\.[\w-]+$/
export const deliveryId = z
  .string()
  .max(600)
  .regex(deliveryIdPattern, 'Send the id of a delivery, in.… or out.…')
  .meta({ example: 'out.bXNnXzAxS0FIQjJOM1A' })

const place = z.object({ platform, id: z.string() })

export function readDeliveryId(
  id: string,
): { in: { chat: Pick<Chat, 'platform' | 'id'>; id: string } } | { out: string } | null {
  const [direction = '', name = ''] = id.split('.')
  const text = textOfBase64(name)
  if (text === '') return null
  if (direction === 'out') return { out: text }
  const [platformName, chatId, inboundId] = text.split('\n')
  const chat = place.safeParse({ platform: platformName, id: chatId })
  return chat.success && inboundId ? { in: { chat: chat.data, id: inboundId } } : null
}

const shownCharacters = 200

const textOf = ({ what }: Inbound): string => {
  if (what.kind === 'message') return isBlank(what.text) ? lineOf('', what.pointed) : what.text
  return what.kind === 'command' ? `/${what.name} ${what.argument}`.trim() : `(${what.kind})`
}

/** An earlier failure says nothing about the final result. */
const whyOf = ({ state, reason, nextTryAt }: Pick<Delivery, 'state' | 'reason' | 'nextTryAt'>): string | null =>
  state === 'ignored' || state === 'failed' || nextTryAt !== null ? reason : null

/** @param links ids of links by `chatKey` */
export function showInbound(delivery: InboundDelivery, links: ReadonlyMap<string, string>): Delivery {
  const { inbound: happened, state, failures, reason, dueAt, createdAt } = delivery
  const { chat } = happened
  const nextTryAt = state === 'received' && failures > 0 && dueAt !== undefined ? iso(dueAt) : null
  return {
    id: `in.${toBase64Url([chat.platform, chat.id, happened.id].join('\n'))}`,
    direction: 'in',
    platform: chat.platform,
    chat: links.get(chatKey(chat)) ?? '',
    state,
    text: cut(textOf(happened), shownCharacters),
    failures,
    reason: whyOf({ state, reason, nextTryAt }),
    nextTryAt,
    at: createdAt,
  }
}

export function showOutgoing(outgoing: Outgoing, links: ReadonlyMap<string, string>): Delivery {
  const { key, chat, state, final, draft, failures, reason, dueAt, createdAt } = outgoing
  const nextTryAt = state === 'sending' && failures > 0 && dueAt !== undefined ? iso(dueAt) : null
  return {
    id: `out.${toBase64Url(key)}`,
    direction: 'out',
    platform: chat.platform,
    chat: links.get(chatKey(chat)) ?? '',
    state,
    text: cut(final?.text ?? draft ?? '', shownCharacters),
    failures,
    reason: whyOf({ state, reason, nextTryAt }),
    nextTryAt,
    at: createdAt,
  }
}
