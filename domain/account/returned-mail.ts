import * as z from 'zod'
import { dayMs } from '../time.ts'
import { timestamp } from '../timestamp.ts'

/** Time for which a bounce or complaint is remembered. SES reports it again for each further e-mail. */
export const returnedMailKeptMs = 30 * dayMs

/** `bounced`: the server refused an e-mail for good. `complained`: the reader marked one as spam. */
export type WhyReturned = 'bounced' | 'complained'

export const returnedMails = z
  .object({
    bouncedAt: timestamp.nullable().meta({ description: 'The time of the last permanent bounce.' }),
    complainedAt: timestamp.nullable().meta({ description: 'The time of the last complaint.' }),
  })
  .meta({ id: 'ReturnedMails' })
export type ReturnedMails = z.infer<typeof returnedMails>

export const noReturnedMails: ReturnedMails = { bouncedAt: null, complainedAt: null }

export function recentlyReturned({ bouncedAt, complainedAt }: ReturnedMails, nowMs: number): ReturnedMails {
  const recent = (at: string | null) => (at !== null && Date.parse(at) > nowMs - returnedMailKeptMs ? at : null)
  return { bouncedAt: recent(bouncedAt), complainedAt: recent(complainedAt) }
}

/** SES's name for a bounce without an attempt, because of an earlier bounce or complaint. */
const suppressed: readonly string[] = ['Suppressed', 'OnAccountSuppressionList']

/** `lasting`: not for a passing reason such as a full mailbox. `news`: the first report of it. */
export function readBounce({ bounceType, bounceSubType }: { bounceType: string; bounceSubType: string }) {
  const lasting = bounceType === 'Permanent'
  return { lasting, news: lasting && !suppressed.includes(bounceSubType) }
}
