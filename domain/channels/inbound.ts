/** One shape for the events of all platforms. */
import * as z from 'zod'
import { timestamp } from '../timestamp.ts'
import { chatKind, platform } from './platform.ts'
import { isBlank, maxPointed, pointed } from './pointed.ts'

/** A chat by its platform's permanent id; in Slack `T…/C…`, workspace and channel, or `T…` for a whole workspace. */
export const chat = z.object({
  platform,
  id: z.string().min(1).max(200),
  kind: chatKind,
  title: z.string().max(200).optional(),
})
export type Chat = z.infer<typeof chat>

/** The author by the platform's permanent id; names change. */
const person = z.object({ id: z.string().min(1).max(100), name: z.string().max(200), bot: z.boolean() })
export type Person = z.infer<typeof person>

/** A file that is still with the platform; the platform exchanges `ref` for its bytes. */
const fileReference = z.object({
  ref: z.string().max(2000),
  name: z.string().max(255),
  type: z.string().max(255),
  bytes: z.int().min(0).optional(),
  /** Part of a pointed-at message: if it is not available, the message goes without it. */
  pointed: z.boolean().optional(),
})
export type FileReference = z.infer<typeof fileReference>

/** The platform's data for the answer, such as a thread or the token of an interaction. Never shown. */
export const replyContext = z.record(z.string().max(50), z.string().max(2000))
export type ReplyContext = z.infer<typeof replyContext>

export const maxMentions = 20

export const maxFiles = 20

const happening = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('message'),
    /** May be empty where files are. */
    text: z.string(),
    files: z.array(fileReference).max(maxFiles),
    pointed: z.array(pointed).max(maxPointed).optional(),
    /** Ids of people whose `@id` is in the text. */
    mentions: z.array(z.string().max(100)).max(maxMentions).optional(),
    /** The same for all messages of an album. */
    album: z.string().max(100).optional(),
    /** Meant for the agent: a direct message, a mention, or an answer to the agent. */
    addressed: z.boolean(),
  }),
  /** Edits and removals ask nothing, because the earlier version was answered. `flood`: more than is taken. */
  z.object({ kind: z.enum(['edited', 'deleted', 'flood']) }),
  z.object({ kind: z.literal('command'), name: z.string().max(64), argument: z.string().max(4000) }),
  z.object({ kind: z.literal('button'), data: z.string().max(100), messageId: z.string().max(100) }),
  /** The chat no longer hears us: thrown out, blocked, uninstalled or token revoked. */
  z.object({
    kind: z.literal('removed'),
    /** The group continues under another id; reported in the old chat, the new one, or both. */
    moved: z.object({ from: z.string().max(200), to: z.string().max(200) }).optional(),
  }),
])
export type Happening = z.infer<typeof happening>

/** True without a word, a file and anything that the message points at. */
export const saysNothing = ({ text, files, pointed = [] }: Extract<Happening, { kind: 'message' }>): boolean =>
  isBlank(text) && files.length === 0 && pointed.length === 0

export const inbound = z.object({
  /**
   * Unique in its chat and equal in repeated deliveries, whatever the event id. Later events of the chat sort after it:
   * begin with the platform's time or rising id, padded with zeros.
   */
  id: z.string().min(1).max(200),
  chat,
  person,
  context: replyContext,
  /** The platform's time. */
  at: timestamp,
  what: happening,
})
export type Inbound = z.infer<typeof inbound>

export const chatKey = ({ platform, id }: Pick<Chat, 'platform' | 'id'>): string => `${platform}#${id}`
