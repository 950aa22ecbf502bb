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

/** Null chooses the default of the instance. */
export const chosenModel = z.string().min(1).max(200).nullable().meta({ example: 'local/echo' })

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
    pinned: z.boolean().meta({ description: 'Listed before the others in the dashboard.' }),
    unread: z.boolean().meta({ description: 'The agent has written since the user last opened it or wrote in it.' }),
    model: z.string().nullable().meta({
      example: 'local/echo',
      description: 'The model of its replies, as `provider/model`. Null, or a removed model: the instance’s default.',
    }),
    createdAt: timestamp,
    lastMessageAt: timestamp.nullable(),
  })
  .meta({ id: 'Conversation' })
export type Conversation = z.infer<typeof conversation>

/** Attributes of the main conversation, which has neither a title nor a place in the list. */
export const mainState = conversation.pick({ unread: true, model: true }).meta({ id: 'MainConversation' })
export type MainState = z.infer<typeof mainState>

export const newConversation = (
  of: Pick<Conversation, 'id' | 'title' | 'startedBy' | 'createdAt'> & Partial<Conversation>,
): Conversation => ({ archived: false, pinned: false, unread: false, model: null, lastMessageAt: null, ...of })
