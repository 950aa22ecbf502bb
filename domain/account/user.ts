import * as z from 'zod'
import type { Subscription } from '../billing/plans.ts'
import { timestamp } from '../time.ts'

export const email = z.string().trim().toLowerCase().pipe(z.email().max(254)).meta({ example: 'ada@example.com' })

export const account = z.object({ id: z.string(), email: z.string(), createdAt: timestamp }).meta({ id: 'Account' })
export type Account = z.infer<typeof account>

export interface UserRecord extends Account {
  subscription: Subscription
  /** Seconds since 1970 of the newest provider event `subscription` comes from. */
  subscriptionAsOf: number
  subscriptionId: string | null
  customerId: string | null
}

export const showAccount = ({ id, email, createdAt }: UserRecord): Account => ({ id, email, createdAt })

/** Life of a login code and of a session, ms; a session's life starts again with each use. */
export const loginCodeTtlMs = 10 * 60 * 1000
export const loginTries = 5
export const sessionTtlMs = 30 * 24 * 60 * 60 * 1000

export interface SessionRecord {
  id: string
  userId: string
  createdAt: string
  expiresAt: string
}
