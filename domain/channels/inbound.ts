/** An event in a chat, in one shape for all platforms. */
import * as z from 'zod'
import { timestamp } from '../timestamp.ts'
import { chatKind, platform } from './platform.ts'
import { isBlank, maxPointed, pointed } from './pointed.ts'

/**
 * A chat by its platform's own, lasting id; in Slack `T…/C…`, the workspace and the channel, or `T…` for all of a
 * workspace.
 */
export const chat = z.object({
  platform,
  id: z.string().min(1).max(200),
  kind: chatKind,
  /** The name a group has there. */
  title: z.string().max(200).optional(),
})
export type Chat = z.infer<typeof chat>

/** The author, by the platform's own permanent id; names change. */
export const person = z.object({ id: z.string().min(1).max(100), name: z.string().max(200), bot: z.boolean() })
export type Person = z.infer<typeof person>

/** A file that is still with the platform. `ref` is what the platform gives its bytes for. */
export const fileReference = z.object({
  ref: z.string().max(2000),
  name: z.string().max(255),
  /** Media type; what the platform says. */
  type: z.string().max(255),
  bytes: z.int().min(0).optional(),
  /** It belongs to what the message points at: where it cannot be had, the message goes without it. */
  pointed: z.boolean().optional(),
})
export type FileReference = z.infer<typeof fileReference>

/** The platform's data for answering exactly this: a thread, the token of an interaction. Never shown. */
export const replyContext = z.record(z.string().max(50), z.string().max(2000))
export type ReplyContext = z.infer<typeof replyContext>

/** People in one message whose names are looked up. */
export const maxMentions = 20

/** Files of one message. */
export const maxFiles = 20

export const happening = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('message'),
    /** May be empty where files are. */
    text: z.string(),
    files: z.array(fileReference).max(maxFiles),
    /** Words of others that it points at. */
    pointed: z.array(pointed).max(maxPointed).optional(),
    /** Ids of people who stand in it as `@id`, whose names their platform tells. */
    mentions: z.array(z.string().max(100)).max(maxMentions).optional(),
    /** Messages of one album carry the same name of it. */
    album: z.string().max(100).optional(),
    /** Whether it is meant for the agent: a direct message, a mention, an answer to what it said. */
    addressed: z.boolean(),
  }),
  /**
   * The earlier version was already answered: an edit or a removal asks nothing. `flood`: there was more than is
   * taken.
   */
  z.object({ kind: z.enum(['edited', 'deleted', 'flood']) }),
  /** `/name argument`, as the platform writes a command. */
  z.object({ kind: z.literal('command'), name: z.string().max(64), argument: z.string().max(4000) }),
  /** A button under one of our messages was pressed; `data` is what we gave it. */
  z.object({ kind: z.literal('button'), data: z.string().max(100), messageId: z.string().max(100) }),
  /** We were thrown out, blocked, uninstalled or our token revoked: the chat hears us no more. */
  z.object({
    kind: z.literal('removed'),
    /** The group continues under another id: the news comes in the old chat, in the new one, or in both. */
    moved: z.object({ from: z.string().max(200), to: z.string().max(200) }).optional(),
  }),
])
export type Happening = z.infer<typeof happening>

/** Whether nothing is said: no word, no file, and nothing that the message points at. */
export const saysNothing = ({ text, files, pointed = [] }: Extract<Happening, { kind: 'message' }>): boolean =>
  isBlank(text) && files.length === 0 && pointed.length === 0

/** One thing that happened in a chat. */
export const inbound = z.object({
  /**
   * The same for the same thing however often, and under whatever event id, it is delivered; unique in its chat. Later
   * events of the chat sort after it: start it with the platform's own time or rising id, padded with zeros.
   */
  id: z.string().min(1).max(200),
  chat,
  person,
  context: replyContext,
  /** When the platform says that it happened. */
  at: timestamp,
  what: happening,
})
export type Inbound = z.infer<typeof inbound>

/** The chat's own key among all chats. */
export const chatKey = ({ platform, id }: Pick<Chat, 'platform' | 'id'>): string => `${platform}#${id}`
