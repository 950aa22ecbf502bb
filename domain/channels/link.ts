/** Chats that are linked to an account, and the codes that link them. */
import * as z from 'zod'
import { idPattern } from '../ids.ts'
import { hourMs, timestamp } from '../time.ts'
import { chat } from './inbound.ts'
import { platform } from './platform.ts'

/** Chats that one account may have linked at once. */
export const maxLinks = 20

/** How long a code is good for, ms. */
export const codeMs = hourMs

/** Nothing in it looks like anything else of it. */
export const codeAlphabet = '23456789ABCDEFGHJKMNPQRSTUVWXYZ'
export const codeLength = 8

/** Wrong codes that are looked up for one chat within an hour. */
export const maxGuessesPerHour = 10

/** A code as a person may type it; null for what is none. */
export function readCode(text: string): string | null {
  const typed = text.trim().toUpperCase().replaceAll('-', '')
  return typed.length === codeLength && [...typed].every((letter) => codeAlphabet.includes(letter)) ? typed : null
}

export const linkId = z.string().regex(idPattern('lnk'), 'Send the id of a linked chat, lnk_…')

/** A chat in which a person talks to the agent of their account. */
export const link = z
  .object({
    id: z.string().meta({ example: 'lnk_01KAHB2N3P4Q5R6S7T8V9WXYZ0' }),
    platform,
    kind: z.enum(['direct', 'group']),
    title: z.string().nullable().meta({
      description: 'The name of a group; null for a direct chat.',
      example: 'Trip to Lisbon',
    }),
    person: z.string().meta({ description: 'The name there of the person whom it is linked to.', example: 'Ada' }),
    conversation: z.string().meta({ example: 'main', description: 'Where its messages belong.' }),
    home: z.boolean().meta({ description: 'Here the agent says what nobody asked for, and what its schedules bring.' }),
    state: z.enum(['linked', 'lost']).meta({ description: '`lost`: the chat, or our place in it, is no more.' }),
    createdAt: timestamp,
  })
  .meta({ id: 'ChannelLink' })
export type Link = z.infer<typeof link>

/** As it is kept: with the platform's own ids, which names do not replace. */
export const linkRecord = link.omit({ title: true }).extend({ userId: z.string(), chat, personId: z.string() })
export type LinkRecord = z.infer<typeof linkRecord>

export const showLink = ({ userId: _, chat, personId: __, ...shown }: LinkRecord): Link => ({
  ...shown,
  title: chat.title ?? null,
})
