import * as z from 'zod'
import { scheduleRun } from './instance/schedules.ts'
import { letter } from './notifications/letter.ts'
import { lossReasons } from './webhooks/endpoint.ts'

/** A follow-up of a change, stored with the change: it contains no secret, and repeating it is harmless. */
export const intent = z.discriminatedUnion('kind', [
  letter.extend({ kind: z.literal('mail') }),
  /** The timer of a schedule is to be as the schedule says. */
  z.object({ kind: z.literal('timer'), scheduleId: z.string() }),
  /** A schedule's prompt must be added to its runs. */
  z.object({ kind: z.literal('schedule-run'), scheduleId: z.string(), run: scheduleRun }),
  /** An instance that sleeps is to wake for what waits for it. */
  z.object({ kind: z.literal('wake'), reason: z.enum(['message', 'schedule']) }),
  /** The reconciler is to look at the instance. */
  z.object({ kind: z.literal('wanted') }),
  /** Nothing is charged any more: the subscription is to end, and automatic top-ups are to be off. */
  z.object({ kind: z.literal('close-billing') }),
  /** An account that stays is to be as it was. */
  z.object({ kind: z.literal('reopen') }),
  /** A trial is to have its machine. */
  z.object({ kind: z.literal('trial') }),
  /** Tokens that a token minted must end with it. */
  z.object({ kind: z.literal('revoke'), tokenId: z.string() }),
  /** Objects that no restore point of the instance is made of are to go. */
  z.object({ kind: z.literal('prune'), instanceId: z.string() }),
  /** The owner of an account is to be mailed what its tokens made on a day (UTC). */
  z.object({ kind: z.literal('tokens-made'), day: z.string() }),
  /** An e-mail must tell the owner of a webhook endpoint that it was disabled. */
  z.object({ kind: z.literal('endpoint-disabled'), name: z.string(), because: z.enum(lossReasons) }),
])
export type Intent = z.infer<typeof intent>

/** An intent in the outbox. */
export interface StoredIntent {
  userId: string
  id: string
  /** Milliseconds since 1970. */
  createdMs: number
  intent: Intent
}
