import * as z from 'zod'
import type { Subscription } from '../billing/plans.ts'
import { timestamp } from '../time.ts'

export const email = z.string().trim().toLowerCase().pipe(z.email().max(254)).meta({ example: 'ada@example.com' })

export const account = z.object({ id: z.string(), email: z.string(), createdAt: timestamp }).meta({ id: 'Account' })
export type Account = z.infer<typeof account>

export interface UserRecord extends Account {
  /** When the account is erased for good; null while nobody asked for it. Signing in before keeps the account. */
  eraseAt: string | null
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

/** A login code after this many wrong ones in a day (UTC) is a link instead. */
export const wrongCodesPerDay = 10

/** How old a sign-in may be for exporting, deleting and raising limits, ms. */
export const recentSignInMs = 10 * 60 * 1000

/** How long a deleted account can still be kept by signing in, ms. */
export const erasureGraceMs = 30 * 24 * 60 * 60 * 1000

export interface SessionRecord {
  id: string
  userId: string
  createdAt: string
  expiresAt: string
  lastSeenAt: string
  /** Browser family and system, such as `Firefox on Linux`. */
  device: string
}

/** A signed-in browser as its owner sees it. */
export const session = z
  .object({
    id: z.string().meta({ example: 'ses_3QZ6q5b1mS0x5rjS8uWb1A' }),
    device: z.string().meta({ example: 'Firefox on Linux' }),
    createdAt: timestamp,
    lastSeenAt: timestamp,
    expiresAt: timestamp,
    current: z.boolean().meta({ description: 'The session of this very request.' }),
  })
  .meta({ id: 'Session' })
export type Session = z.infer<typeof session>

export const showSession = ({ userId: _, ...shown }: SessionRecord, currentId: string): Session => ({
  ...shown,
  current: shown.id === currentId,
})
