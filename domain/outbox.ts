import * as z from 'zod'
import { scheduleRun } from './instance/schedules.ts'
import { letter } from './notifications/letter.ts'
import { lossReasons } from './webhooks/endpoint.ts'

/** A follow-up of a change, stored with the change. It contains no secret, and repeating it is harmless. */
export const intent = z.discriminatedUnion('kind', [
  letter.extend({ kind: z.literal('mail') }),
  z.object({ kind: z.literal('timer'), scheduleId: z.string() }),
  /** Adds a schedule's prompt to its runs. */
  z.object({ kind: z.literal('schedule-run'), scheduleId: z.string(), run: scheduleRun }),
  z.object({ kind: z.literal('wake'), reason: z.enum(['message', 'schedule']) }),
  /** Has the reconciler check the instance. */
  z.object({ kind: z.literal('wanted') }),
  /** Ends the subscription and turns automatic top-ups off. */
  z.object({ kind: z.literal('close-billing') }),
  /** Reopens an account that stays. */
  z.object({ kind: z.literal('reopen') }),
  /** Gives a trial its machine. */
  z.object({ kind: z.literal('trial') }),
  /** Ends the tokens that a token minted. */
  z.object({ kind: z.literal('revoke'), tokenId: z.string() }),
  /** Deletes objects that no restore point of the instance uses. */
  z.object({ kind: z.literal('prune'), instanceId: z.string() }),
  /** Mails the owner what tokens made on a UTC day. */
  z.object({ kind: z.literal('tokens-made'), day: z.string() }),
  /** Erases what is left of a deleted conversation. */
  z.object({ kind: z.literal('erase-conversation'), conversation: z.string() }),
  z.object({ kind: z.literal('endpoint-disabled'), name: z.string(), because: z.enum(lossReasons) }),
])
export type Intent = z.infer<typeof intent>

export interface StoredIntent {
  userId: string
  id: string
  /** Milliseconds since 1970. */
  createdMs: number
  intent: Intent
}
