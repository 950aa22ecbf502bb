import * as z from 'zod'
import { promptId } from '../agent/observation.ts'
import { type Event, event } from '../chat/event.ts'
import { questionId } from '../chat/question.ts'
import { maxReplyCharacters } from '../chat/text-limits.ts'
import { idPattern } from '../ids.ts'
import { parseJson } from '../json.ts'
import { maxPieceCharacters } from './parts.ts'

/**
 * From character `from` of a draft, whose number rises when the text restarts: at another attempt, or after a tool
 * call.
 */
const textPiece = z.object({
  promptId,
  draft: z.int().min(0),
  from: z.int().min(0).max(maxReplyCharacters),
  text: z.string(),
})
export type TextPiece = z.infer<typeof textPiece>

/** Later drafts of the attempt count up from it. */
export const firstDraft = (attempt: number): number => attempt * 1000

const connectionId = z.string().regex(/^[\w=+/-]{1,128}$/)

/** Nobody answers `ping`; it keeps the connection open. */
export const clientMessages = {
  /** A reader requests the events after this one, and all growing replies. */
  resume: z.object({ after: z.string().regex(idPattern('evt')).nullable().default(null) }),
  /** A reader lacks a part of a growing reply. */
  missing: textPiece.omit({ text: true }),
  /** A machine sends the next piece of a reply, for all readers or for the connection that lacked it. */
  text: textPiece.extend({ text: z.string().max(maxPieceCharacters), to: connectionId.optional() }),
} as const
type ClientAction = keyof typeof clientMessages
export type ClientMessage = { [A in ClientAction]: { action: A } & z.output<(typeof clientMessages)[A]> }[ClientAction]

export function readClientMessage(text: string): ClientMessage | null {
  const body = parseJson(text)
  const action = z.object({ action: z.enum(['resume', 'missing', 'text']) }).safeParse(body).data?.action
  const read = action && clientMessages[action].safeParse(body)
  return read?.success ? ({ action, ...read.data } as ClientMessage) : null // safe because the action's own schema read it
}

export const readerMessage = z.discriminatedUnion('type', [
  z.object({ type: z.literal('events'), events: z.array(event) }),
  textPiece.extend({ type: z.literal('text') }),
  /** The answer to `resume` is complete. Without `after`, a client resumes after `upTo` when this connection ends. */
  z.object({ type: z.literal('resumed'), upTo: z.string() }),
])
export type ReaderMessage = z.infer<typeof readerMessage>

export const machineMessage = z.discriminatedUnion('type', [
  z.object({ type: z.literal('work') }),
  z.object({ type: z.literal('report') }),
  z.object({ type: z.literal('missing'), to: connectionId, promptId: promptId.nullable(), from: z.int().min(0) }),
  z.object({ type: z.literal('stop'), promptId }),
  z.object({ type: z.literal('answered'), questionId }),
])
export type MachineMessage = z.infer<typeof machineMessage>

/** An event for streams and pages that is never stored. */
export const progressEvent = (id: string, at: string, { promptId, draft, from, text }: TextPiece): Event => ({
  id,
  type: 'message.progress',
  at,
  data: { promptId, draft, from, text },
})
