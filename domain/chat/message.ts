import * as z from 'zod'
import { codes } from '../errors.ts'
import { idPattern } from '../ids.ts'
import { text } from '../text-schema.ts'
import { timestamp } from '../timestamp.ts'
import { attachment, type PromptAttachment, promptAttachment } from './attachment.ts'
import { promptIdOf } from './names.ts'
import { maxReplyCharacters, maxTextCharacters } from './text-limits.ts'
import { traceId } from './trace.ts'

const channels = ['web', 'telegram', 'slack', 'discord'] as const
const channel = z.enum(channels)

export const messageId = z.string().regex(idPattern('msg'), 'Send the id of a message, msg_…')

export const messageText = text().trim().min(1).max(maxTextCharacters)
export const replyText = text().trim().min(1).max(maxReplyCharacters)

export const outcome = z.enum(['completed', 'failed', 'needs_input', 'stopped'])
export type Outcome = z.infer<typeof outcome>

/** Why a reply is not the answer that was asked for. */
export const replyEnd = {
  outcome: outcome.exclude(['completed']).optional().meta({
    description: 'How the reply ended, if it was not completed. The text of a stopped one is a beginning.',
    example: 'needs_input',
  }),
  refusal: z
    .enum(codes)
    .optional()
    .meta({ description: 'The error of the model call that the reply reports.', example: 'spending-limit' }),
}

export const message = z
  .object({
    id: z.string().meta({ example: 'msg_01KAHB2N3P4Q5R6S7T8V9WXYZ0' }),
    role: z.enum(['user', 'agent']),
    text: z.string(),
    conversation: z.string(),
    channel,
    at: timestamp,
    attachments: z.array(attachment).optional(),
    inReplyTo: z.string().optional(),
    ...replyEnd,
    replaces: z
      .string()
      .optional()
      .meta({
        example: 'msg_01KAHB2N3P4Q5R6S7T8V9WXYZ0',
        description:
          'The first version of the user’s message of which this one is a new version. The conversation continues ' +
          'from the message before that one.',
      }),
  })
  .meta({ id: 'Message' })
export type Message = z.infer<typeof message>

/** An accepted message; `waiting` is null while the agent answers. */
export const receivedMessage = z.object({
  message,
  waiting: z
    .object({ error: z.enum(codes), message: z.string() })
    .nullable()
    .meta({ description: 'The reason why the message waits: the wallet cannot pay for an answer.' }),
})
export type ReceivedMessage = z.infer<typeof receivedMessage>

export const turnTrigger = z.enum(['chat', 'schedule', 'heartbeat', 'tool'])
export type TurnTrigger = z.infer<typeof turnTrigger>

/** The purpose of a model call for caps and receipts. `api` is a program of the user, never a turn. */
export const trigger = z.enum([...turnTrigger.options, 'api'])
export type Trigger = z.infer<typeof trigger>

/** The agent leases it, replies to it and closes it. */
export const prompt = z
  .object({
    id: z.string().meta({ example: 'prm_01KAHB2N3P4Q5R6S7T8V9WXYZ0' }),
    kind: z.literal('message'),
    messageId: z.string(),
    conversation: z.string(),
    channel,
    trigger: turnTrigger,
    text: z.string(),
    at: timestamp,
    attachments: z.array(promptAttachment).optional(),
    attempt: z.int().min(1).meta({ description: 'The number of times that it was handed out, including this time.' }),
    leaseExpiresAt: timestamp,
    stoppedAt: timestamp.optional().meta({ description: 'The user stopped it: close it as `stopped`.' }),
    trace: traceId.optional().meta({
      example: '1-5759e988-bd862e3fe1be46a994272793',
      description: 'The trace of the original request. Send it in `X-Amzn-Trace-Id` with calls for this prompt.',
    }),
  })
  .meta({ id: 'Prompt' })
export type Prompt = z.infer<typeof prompt>

export function promptOf(
  { id: messageId, text, conversation, channel, at }: Message,
  trigger: TurnTrigger,
  attachments: readonly PromptAttachment[] = [],
  trace?: string,
): Omit<Prompt, 'attempt' | 'leaseExpiresAt'> {
  const id = promptIdOf(messageId)
  const more = { ...(attachments.length > 0 && { attachments: [...attachments] }), ...(trace && { trace }) }
  return { id, kind: 'message', messageId, conversation, channel, trigger, text, at, ...more }
}

/** A leased prompt that is not closed within this time is handed out again, ms. Every observation renews it. */
export const leaseMs = 120_000

export const historyLength = 40
