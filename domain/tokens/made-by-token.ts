import * as z from 'zod'
import type { UserActor } from '../actor.ts'
import { iso } from '../time.ts'
import { timestamp } from '../timestamp.ts'

/** A token's last change of a hook or a webhook endpoint, for the daily e-mail to its owner. */
export const byToken = z.object({
  made: z.enum(['hook', 'hook-secret', 'endpoint', 'endpoint-address', 'endpoint-secret']),
  at: timestamp,
})
export type ByToken = z.infer<typeof byToken>

/** The mark that a record gets where a token acts; a session's act is e-mailed at once and leaves the mark as it is. */
export const markOfToken = (actor: UserActor, made: ByToken['made'], nowMs: number): { byToken?: ByToken } =>
  actor.kind === 'pat' ? { byToken: { made, at: iso(nowMs) } } : {}
