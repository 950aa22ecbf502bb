import { dayMs, hourMs } from '../time.ts'

/** Wrong tries of one mailed code, by the browser that requested it. */
export const codeTries = 5

export interface MailedSecrets {
  /** Six digits for the requesting browser; null when the day's codes are used up. */
  code: string | null
  /** The token of a link for any browser: 128 bits. */
  token: string
}

/** A sign-in e-mail of the last day that nobody has used yet. */
export interface UnusedMail {
  /** Time of sending, ms since 1970. */
  at: number
  asker: string
  code: boolean
}

/** Nobody else can use up an `own` share; strangers share one, and have their network address as id. */
export interface Asker {
  share: 'own' | 'strangers'
  id: string
}

/** Unused e-mails to one address: to one asker and to a whole share in an hour, and those with codes in a day. */
export const mailLimits = {
  own: { asker: 5, hour: 5, codes: 20 },
  strangers: { asker: 5, hour: 10, codes: 4 },
} as const satisfies Record<Asker['share'], { asker: number; hour: number; codes: number }>

/** After so many unused e-mails in a day, strangers are mailed once an hour. */
export const strangersMailsPerDay = 20

/** Unused codes requested from one network address in a UTC day, for any addresses. */
export const networkCodesPerDay = 20

/** Null only while an unused link of the last hour is valid, so that the mailbox's owner always gets in. */
export function nextMail(
  unused: readonly UnusedMail[],
  { share, id }: Asker,
  networkCodes: number,
  nowMs: number,
): 'code' | 'link' | null {
  const limit = mailLimits[share]
  const lastHour = unused.filter(({ at }) => at > nowMs - hourMs)
  const lastDay = unused.filter(({ at }) => at > nowMs - dayMs)
  const perHour = share === 'strangers' && lastDay.length >= strangersMailsPerDay ? 1 : limit.hour
  if (lastHour.length >= perHour || lastHour.filter((mail) => mail.asker === id).length >= limit.asker) return null
  const codesLeft = lastDay.filter(({ code }) => code).length < limit.codes && networkCodes < networkCodesPerDay
  return codesLeft ? 'code' : 'link'
}
