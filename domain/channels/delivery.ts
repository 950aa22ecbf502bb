/** What came from a chat and what goes there, as it is kept until it is done, and listed for a while after. */
import * as z from 'zod'
import { maxTextCharacters } from '../chat/text-limits.ts'
import { dayMs, hourMs, iso, minuteMs, secondMs, timestamp } from '../time.ts'
import { type Chat, chat, type Inbound, inbound, type ReplyContext, replyContext } from './inbound.ts'
import { platform } from './platform.ts'

/** How long deliveries are known, ms: longer than any platform repeats one. */
export const deliveryKeptMs = 7 * dayMs

/** How long who wrote a delivery, or claimed it, has to see it through before the sweep does, ms. */
export const ownTimeMs = minuteMs

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

/** What became of something that came from a chat. */
export const inboundState = z.enum(['received', 'done', 'ignored', 'failed'])

/** Something that came from a chat. */
export const inboundDelivery = z.object({
  inbound,
  /** The message that it becomes, if it becomes one. */
  messageId: z.string(),
  state: inboundState,
  /** Tries that failed. */
  failures: z.int(),
  /** Why it was ignored or failed, in words. */
  reason: z.string().nullable().default(null),
  createdAt: timestamp,
})
export type InboundDelivery = z.infer<typeof inboundDelivery>

/** As it is kept at first; what is longer than the agent takes is cut there, and refused later. */
export function newInboundDelivery(happened: Inbound, messageId: string, nowMs: number): InboundDelivery {
  const { what } = happened
  const cut = what.kind === 'message' ? { ...what, text: what.text.slice(0, maxTextCharacters + 1) } : what
  return {
    inbound: { ...happened, what: cut },
    messageId,
    state: 'received',
    failures: 0,
    reason: null,
    createdAt: iso(nowMs),
  }
}

const button = z.object({ data: z.string().max(64), label: z.string() })

/** What a message there says in the end. */
export const finalContent = z.object({
  text: z.string(),
  buttons: z.array(button).optional(),
  /** Ids of the agent's attachments that go with it. */
  attachments: z.array(z.string()).optional(),
})
export type FinalContent = z.infer<typeof finalContent>

/** What goes to a chat, one message or more there: an agent's reply from its first word on, or a line of the service's. */
export const outgoing = z.object({
  userId: z.string(),
  /** `prm_…` of a reply, `msg_…` of what was said unasked, `qst_…` of a question, `line#…` of the service's own lines. */
  key: z.string(),
  chat,
  context: replyContext,
  /** `open` until its last words are known. */
  state: z.enum(['open', 'sending', 'sent', 'failed', 'dropped']),
  /** What it says while it grows. */
  draft: z.string().optional(),
  final: finalContent.optional(),
  failures: z.int().default(0),
  reason: z.string().nullable().default(null),
  /** When it is to be tried, ms since 1970; absent when there is nothing to do. */
  dueAt: z.int().optional(),
  createdAt: timestamp,
})
export type Outgoing = z.infer<typeof outgoing>

/** Something that is to be sent at once, as it is. */
export const ready = (
  to: { userId: string; chat: Chat; context: ReplyContext },
  key: string,
  final: FinalContent,
  nowMs: number,
): Outgoing => ({ ...to, key, state: 'sending', final, failures: 0, reason: null, dueAt: nowMs, createdAt: iso(nowMs) })

/** How far something that goes to a chat has come there. */
export const sentSoFar = z.object({
  /** The platform's ids of the messages that say it, in order. */
  messageIds: z.array(z.string()).default([]),
  /** How many of them say what they are to say in the end. */
  finished: z.int().default(0),
  /** Files that were sent. */
  files: z.int().default(0),
  /** What the growing message says, and since when, ms since 1970. */
  shown: z.string().default(''),
  shownMs: z.int().default(0),
})
export type SentSoFar = z.infer<typeof sentSoFar>

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
    state: z.enum(['received', 'done', 'ignored', 'open', 'sending', 'sent', 'failed', 'dropped']),
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
