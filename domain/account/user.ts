import * as z from 'zod'
import type { Subscription } from '../billing/subscription.ts'
import { conflict } from '../errors.ts'
import type { Muting } from '../notifications/notification.ts'
import { timestamp } from '../timestamp.ts'
import type { Trial } from '../trial/trial.ts'
import type { ReturnedMails } from './returned-mail.ts'
import type { AcceptedTerms } from './terms.ts'

export const email = z.string().trim().toLowerCase().pipe(z.email().max(254)).meta({ example: 'ada@example.com' })

/** Masked for people who may not be the owner: `a…@example.com`. */
export const maskedEmail = (address: string): string => address.replace(/^(.)[^@]*/u, '$1…')

export const account = z.object({ id: z.string(), email: z.string(), createdAt: timestamp }).meta({ id: 'Account' })
export type Account = z.infer<typeof account>

export interface UserRecord extends Account {
  /** Time of the erasure; null while nobody asked for it. Signing in before that time keeps the account. */
  eraseAt: string | null
  subscription: Subscription
  /** Seconds since 1970 of the newest provider event in `subscription`. */
  subscriptionAsOf: number
  subscriptionId: string | null
  customerId: string | null
  /** Null for an account that never had one. */
  trial: Trial | null
  /** The terms that were accepted last; null after a sign-in by a page without any. */
  terms: AcceptedTerms | null
  returned: ReturnedMails
  muted: Muting[]
}

export const showAccount = ({ id, email, createdAt }: UserRecord): Account => ({ id, email, createdAt })

export const session = z
  .object({
    id: z.string().meta({ example: 'ses_3QZ6q5b1mS0x5rjS8uWb1A' }),
    device: z.string().meta({ example: 'Firefox on Linux' }),
    createdAt: timestamp,
    lastSeenAt: timestamp,
    expiresAt: timestamp,
    current: z.boolean().meta({ description: 'The session of this request.' }),
  })
  .meta({ id: 'Session' })
type Session = z.infer<typeof session>

export const sessionRecord = session.omit({ current: true }).extend({
  userId: z.string(),
  /** The passkey that opened the session; null after a sign-in by e-mail. */
  passkeyId: z.string().nullable().default(null),
})
export type SessionRecord = z.infer<typeof sessionRecord>

export const showSession = ({ userId: _, passkeyId: __, ...shown }: SessionRecord, currentId: string): Session => ({
  ...shown,
  current: shown.id === currentId,
})

/** @throws conflict for an account that is set to be erased */
export function checkOpen({ eraseAt }: Pick<UserRecord, 'eraseAt'>): void {
  if (eraseAt) throw conflict('This account is closed. Sign in again to keep it.')
}
