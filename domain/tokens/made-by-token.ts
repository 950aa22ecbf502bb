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

/** Only a token's change leaves a mark; a session's change is e-mailed at once. */
export const markOfToken = (actor: UserActor, made: ByToken['made'], nowMs: number): { byToken?: ByToken } =>
  actor.kind === 'pat' ? { byToken: { made, at: iso(nowMs) } } : {}
