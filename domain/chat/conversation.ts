import * as z from 'zod'
import { idPattern } from '../ids.ts'
import { text } from '../text-schema.ts'
import { timestamp } from '../timestamp.ts'
import { mainConversation } from './names.ts'

/** One pattern instead of a union: generators of clients cannot write the default of a union. */
export const conversationRef = z
  .string()
  .regex(
    new RegExp(`^${mainConversation}$|${idPattern('cnv').source}`),
    'Send "main" or the id of a conversation, cnv_…',
  )

export const startedConversationId = z.string().regex(idPattern('cnv'), 'Send the id of a conversation, cnv_…')

export const conversationTitle = text().trim().min(1).max(120).meta({ example: 'Trip to Lisbon' })

/** A conversation other than the main one. Its messages are the history of this conversation only. */
export const conversation = z
  .object({
    id: z.string().meta({ example: 'cnv_01KAHB2N3P4Q5R6S7T8V9WXYZ0' }),
    title: conversationTitle.nullable().meta({
      description: 'Null until the first message, whose beginning becomes the title.',
      example: 'Trip to Lisbon',
    }),
    startedBy: z.enum(['user', 'agent']),
    archived: z.boolean().meta({ description: 'Hidden from the list until the next message.' }),
    createdAt: timestamp,
    lastMessageAt: timestamp.nullable(),
  })
  .meta({ id: 'Conversation' })
export type Conversation = z.infer<typeof conversation>

const titleCharacters = 60

export function titleOf(text: string): string {
  const line = text.trim().split('\n', 1)[0]?.trim() ?? ''
  const characters = [...line]
  if (characters.length <= titleCharacters) return line
  const cut = characters.slice(0, titleCharacters).join('')
  return `${cut.slice(0, cut.lastIndexOf(' ') > 0 ? cut.lastIndexOf(' ') : cut.length)}…`
}
