import * as z from 'zod'
import { dayMs } from '../time.ts'
import { timestamp } from '../timestamp.ts'

/** How long it is known that an address takes none of our mails. SES says so again of each further mail. */
export const returnedMailKeptMs = 30 * dayMs

/** `bounced`: its server refused a mail for good. `complained`: the reader marked one as spam. */
export type WhyReturned = 'bounced' | 'complained'

/** The returned e-mails of an address in the last 30 days. */
export const returnedMails = z
  .object({
    bouncedAt: timestamp.nullable().meta({ description: 'When its server last refused a mail for good.' }),
    complainedAt: timestamp.nullable().meta({ description: 'The time of the last complaint.' }),
  })
  .meta({ id: 'ReturnedMails' })
export type ReturnedMails = z.infer<typeof returnedMails>

export const noReturnedMails: ReturnedMails = { bouncedAt: null, complainedAt: null }

/** The part that is still remembered. */
export function recentlyReturned({ bouncedAt, complainedAt }: ReturnedMails, nowMs: number): ReturnedMails {
  const recent = (at: string | null) => (at !== null && Date.parse(at) > nowMs - returnedMailKeptMs ? at : null)
  return { bouncedAt: recent(bouncedAt), complainedAt: recent(complainedAt) }
}

/** SES's name for a bounce without an attempt: the address had bounced, or complained, before. */
const suppressed: readonly string[] = ['Suppressed', 'OnAccountSuppressionList']

/** Whether a bounce is for good (a full mailbox is not), and whether it is the first that is heard of. */
export function readBounce({ bounceType, bounceSubType }: { bounceType: string; bounceSubType: string }) {
  const lasting = bounceType === 'Permanent'
  return { lasting, news: lasting && !suppressed.includes(bounceSubType) }
}
