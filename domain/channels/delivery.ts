/** A message from or to a chat, stored until it is done, and listed for a while after. */
import * as z from 'zod'
import { fromBase64Url, toBase64Url } from '../base64.ts'
import { maxTextCharacters } from '../chat/text-limits.ts'
import { cut } from '../text.ts'
import { dayMs, hourMs, iso, minuteMs, secondMs } from '../time.ts'
import { timestamp } from '../timestamp.ts'
import { type Chat, chat, chatKey, type Inbound, inbound, type ReplyContext, replyContext } from './inbound.ts'
import { platform } from './platform.ts'
import { isBlank, lineOf } from './pointed.ts'

/** How long deliveries are known, ms: longer than any platform repeats one. */
export const deliveryKeptMs = 7 * dayMs

/** How long who wrote a delivery, or claimed it, has to see it through before the sweep does, ms. */
export const ownTimeMs = minuteMs

/**
 * The duration of the exclusive right to speak with a platform about a message, ms: longer than any of our functions
 * runs.
 */
export const heldMs = 3 * minuteMs

/** How often it is asked whether a reply that has no last words yet will get any, ms. */
export const openCheckMs = 10 * minuteMs

/** How long it is after each failure until the next try, ms; after the last it stands among the failed. */
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

/** The same for what came from a chat; those after it in the chat wait for it. */
export const inboundRetryDelaysMs = [5 * secondMs, 30 * secondMs, 2 * minuteMs, 10 * minuteMs] as const

/** The outcome of a message from a chat. */
export const inboundState = z.enum(['received', 'done', 'ignored', 'failed'])

/** A message from a chat. */
export const inboundDelivery = z.object({
  inbound,
  /** The message that it becomes, if it becomes one. */
  messageId: z.string(),
  state: inboundState,
  /** Tries that failed. */
  failures: z.int(),
  /** Why it was ignored or failed, in words. */
  reason: z.string().nullable().default(null),
  /** The user; absent until known. */
  userId: z.string().optional(),
  /** When it is to be tried, ms since 1970; absent once it is seen through. */
  dueAt: z.int().optional(),
  createdAt: timestamp,
})
export type InboundDelivery = z.infer<typeof inboundDelivery>

/** More than the agent takes, wherever the last whole character ends. */
const keptCharacters = maxTextCharacters + 100

/** As it is kept at first; what is longer than the agent takes is cut there, and refused later. */
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

/** The final text of a message there. */
export const finalContent = z.object({
  text: z.string(),
  buttons: z.array(button).optional(),
  /** Ids of the agent's attachments that go with it. */
  attachments: z.array(z.string()).optional(),
})
export type FinalContent = z.infer<typeof finalContent>

/**
 * A message to a chat, sent as one or more there: an agent's reply from its first word on, or a text of the service.
 */
export const outgoing = z.object({
  userId: z.string(),
  /**
   * `prm_…` of a reply, `msg_…` of what was said unasked, `qst_…` of a question, `line#…` of the service's own lines.
   */
  key: z.string(),
  chat,
  context: replyContext,
  /** `open` until its last words are known. */
  state: z.enum(['open', 'sending', 'sent', 'failed']),
  /** Its text while it grows. */
  draft: z.string().optional(),
  final: finalContent.optional(),
  /** How often its last words were replaced by others. */
  revision: z.int().default(0),
  failures: z.int().default(0),
  reason: z.string().nullable().default(null),
  /** When it is to be tried, ms since 1970; absent when there is nothing to do. */
  dueAt: z.int().optional(),
  createdAt: timestamp,
})
export type Outgoing = z.infer<typeof outgoing>

const ofLines = 'line#'

/** The key of a line of the service's own. */
export const lineKey = (name: string): string => `${ofLines}${name}`
export const isLineKey = (key: string): boolean => key.startsWith(ofLines)

/** A message to send at once, unchanged. */
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

/** How far something that goes to a chat has come there. */
export const sentSoFar = z.object({
  /** The platform's ids of the messages that say it, in order. */
  messageIds: z.array(z.string()).default([]),
  /** The id of the chat that they are in, where it is another than the message's own. */
  chatId: z.string().optional(),
  /** How many of them say what they are to say in the end, by this revision of it. */
  finished: z.int().default(0),
  revision: z.int().default(0),
  /** Files that were sent. */
  files: z.int().default(0),
  /** The growing message's text, and its time, ms since 1970. */
  shown: z.string().default(''),
  shownMs: z.int().default(0),
  /** Until when the platform wants to hear nothing of it, ms since 1970. */
  waitUntilMs: z.int().default(0),
  /** Until when somebody speaks with the platform about it, ms since 1970. */
  heldUntilMs: z.int().default(0),
})
export type SentSoFar = z.infer<typeof sentSoFar>

/** The id of the chat that the messages are in which were sent so far. */
export const sentIn = ({ chat }: Pick<Outgoing, 'chat'>, { chatId }: Pick<SentSoFar, 'chatId'>): string =>
  chatId ?? chat.id

/** A delivery as its user sees it. */
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
    text: z.string().meta({ description: 'How it begins.', example: 'What is on today?' }),
    failures: z.int(),
    reason: z
      .string()
      .nullable()
      .meta({ description: 'Why it was ignored or failed.', example: 'the chat is no more' }),
    nextTryAt: timestamp.nullable(),
    at: timestamp,
  })
  .meta({ id: 'ChannelDelivery' })
export type Delivery = z.infer<typeof delivery>

/** A delivery's public id; it contains the ids of the chat and the message. */
const deliveryIdPattern = /^(in|out)\.[\w-]+$/
export const deliveryId = z
  .string()
  .max(600)
  .regex(deliveryIdPattern, 'Send the id of a delivery, in.… or out.…')
  .meta({ example: 'out.bXNnXzAxS0FIQjJOM1A' })

const place = z.object({ platform, id: z.string() })

/** The parts of a delivery's id. */
export function readDeliveryId(
  id: string,
): { in: { chat: Pick<Chat, 'platform' | 'id'>; id: string } } | { out: string } | null {
  const [direction = '', name = ''] = id.split('.')
  const text = fromBase64Url(name)
  if (text === null) return null
  if (direction === 'out') return { out: text }
  const [platformName, chatId, inboundId] = text.split('\n')
  const chat = place.safeParse({ platform: platformName, id: chatId })
  return chat.success && inboundId ? { in: { chat: chat.data, id: inboundId } } : null
}

const shownCharacters = 200

const asked = ({ what }: Inbound): string => {
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
    text: cut(asked(happened), shownCharacters),
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
