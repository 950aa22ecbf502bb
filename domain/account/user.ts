import * as z from 'zod'
import type { Subscription } from '../billing/subscription.ts'
import { conflict } from '../errors.ts'
import type { Muting } from '../notifications/notification.ts'
import { timestamp } from '../timestamp.ts'
import type { Trial } from '../trial/trial.ts'
import type { ReturnedMails } from './returned-mail.ts'
import type { AcceptedTerms } from './terms.ts'

export const email = z.string().trim().toLowerCase().pipe(z.email().max(254)).meta({ example: 'ada@example.com' })

/** An address, masked for people who may not be its owner: `a…@example.com`. */
export const maskedEmail = (address: string): string => address.replace(/^(.)[^@]*/u, '$1…')

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
  /** Null for an account that never had one. */
  trial: Trial | null
  /** The terms that were accepted last; null for who signed in by no page that showed any. */
  terms: AcceptedTerms | null
  /** When mails to the address came back last. */
  returned: ReturnedMails
  /** The notifications that the user has turned off for e-mail or push. */
  muted: Muting[]
}

export const showAccount = ({ id, email, createdAt }: UserRecord): Account => ({ id, email, createdAt })

/** A signed-in browser as its owner sees it. */
export const session = z
  .object({
    id: z.string().meta({ example: 'ses_3QZ6q5b1mS0x5rjS8uWb1A' }),
    /** Browser family and system. */
    device: z.string().meta({ example: 'Firefox on Linux' }),
    createdAt: timestamp,
    lastSeenAt: timestamp,
    expiresAt: timestamp,
    current: z.boolean().meta({ description: 'The session of this very request.' }),
  })
  .meta({ id: 'Session' })
export type Session = z.infer<typeof session>

export const sessionRecord = session.omit({ current: true }).extend({
  userId: z.string(),
  /** The passkey that opened it; null where a mail did. */
  passkeyId: z.string().nullable().default(null),
})
export type SessionRecord = z.infer<typeof sessionRecord>

export const showSession = ({ userId: _, passkeyId: __, ...shown }: SessionRecord, currentId: string): Session => ({
  ...shown,
  current: shown.id === currentId,
})

/** @throws conflict for an account that is set to be erased: nothing is bought or started for it */
export function checkOpen({ eraseAt }: Pick<UserRecord, 'eraseAt'>): void {
  if (eraseAt) throw conflict('This account is closed. Sign in again to keep it.')
}
