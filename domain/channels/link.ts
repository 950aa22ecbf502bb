import * as z from 'zod'
import { idPattern } from '../ids.ts'
import { timestamp } from '../timestamp.ts'
import { type Chat, chat } from './inbound.ts'
import { platform } from './platform.ts'

/** Without characters that look alike. */
export const codeAlphabet = '23456789ABCDEFGHJKMNPQRSTUVWXYZ'
export const codeLength = 8

/** Wrong codes that are looked up for one chat within an hour. */
export const maxGuessesPerHour = 10

export function readCode(text: string): string | null {
  const typed = text.trim().toUpperCase().replaceAll('-', '')
  return typed.length === codeLength && [...typed].every((letter) => codeAlphabet.includes(letter)) ? typed : null
}

export const linkId = z.string().regex(idPattern('lnk'), 'Send the id of a linked chat, lnk_…')

/** Derived from the message, so that repeated processing makes one link. */
export const linkIdOf = (messageId: string): string => messageId.replace('msg_', 'lnk_')

export const link = z
  .object({
    id: z.string().meta({ example: 'lnk_01KAHB2N3P4Q5R6S7T8V9WXYZ0' }),
    platform,
    kind: z.enum(['direct', 'group']),
    title: z.string().nullable().meta({
      description: 'The name of a group; null for a direct chat.',
      example: 'Trip to Lisbon',
    }),
    person: z.string().meta({ description: 'The name of the linked person on the platform.', example: 'Ada' }),
    conversation: z.string().meta({ example: 'main', description: 'The conversation of its messages.' }),
    home: z
      .boolean()
      .meta({ description: 'Whether the agent’s unsolicited messages and the results of schedules go to this chat.' }),
    state: z
      .enum(['linked', 'lost'])
      .meta({ description: '`lost`: the chat is gone, or our bot was removed from it.' }),
    createdAt: timestamp,
  })
  .meta({ id: 'ChannelLink' })
type Link = z.infer<typeof link>

/** Has the platform's own ids, because names change. */
export const linkRecord = link.omit({ title: true }).extend({
  userId: z.string(),
  chat,
  personId: z.string(),
  /** The platform's rate limit ends then, ms since 1970. */
  waitUntilMs: z.int().optional(),
  /** The chat's id before the platform changed it. */
  formerChatId: z.string().optional(),
})
export type LinkRecord = z.infer<typeof linkRecord>

export const showLink = ({
  userId: _,
  chat,
  personId: __,
  waitUntilMs: ___,
  formerChatId: ____,
  ...shown
}: LinkRecord): Link => ({ ...shown, title: chat.title ?? null })

/** The chat under its present and its former id. */
export const chatsOf = ({
  chat,
  formerChatId,
}: Pick<LinkRecord, 'chat' | 'formerChatId'>): Pick<Chat, 'platform' | 'id'>[] => [
  chat,
  ...(formerChatId === undefined ? [] : [{ platform: chat.platform, id: formerChatId }]),
]

/** The chat for unsolicited messages: the chosen one, else the oldest direct one. */
export function homeOf<L extends Pick<Link, 'state' | 'kind' | 'home' | 'createdAt'>>(links: readonly L[]): L | null {
  const open = links.filter(({ state }) => state === 'linked')
  const direct = open.filter(({ kind }) => kind === 'direct')
  return open.find(({ home }) => home) ?? direct.sort((a, b) => a.createdAt.localeCompare(b.createdAt))[0] ?? null
}

/** `home` is where the agent does speak, chosen or not. */
export function showLinks(links: readonly LinkRecord[]): Link[] {
  const home = homeOf(links)
  return links.map((link) => ({ ...showLink(link), home: link === home }))
}
