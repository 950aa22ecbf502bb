import { dayMs, hourMs } from '../time.ts'

/** Tries of one mailed code, by the browser that asked for it. */
export const codeTries = 5

/** What is mailed to prove an address. */
export interface MailedSecrets {
  /** Six digits, for the browser that asked; null when today's codes are used up. */
  code: string | null
  /** The token of a link, for any browser: 128 bits. */
  token: string
}

/** A sign-in mail of the last day that nobody has used yet. */
export interface UnusedMail {
  /** When it was sent, ms since 1970. */
  at: number
  /** Who asked for it. */
  asker: string
  /** Whether it has a code beside its link. */
  code: boolean
}

/**
 * Who asks to be mailed: `own` has a share that no one else can use up, strangers have one together. A stranger's id is
 * its network address.
 */
export interface Asker {
  share: 'own' | 'strangers'
  id: string
}

/** Unused mails to one address: to one asker and to all of one share in an hour, and those with codes in a day. */
export const mailLimits = {
  own: { asker: 5, hour: 5, codes: 20 },
  strangers: { asker: 5, hour: 10, codes: 4 },
} as const satisfies Record<Asker['share'], { asker: number; hour: number; codes: number }>

/** After so many unused mails in a day, strangers are mailed once an hour. */
export const strangersMailsPerDay = 20

/** Unused codes asked for from one network address in a day (UTC), for whatever addresses. */
export const networkCodesPerDay = 20

/**
 * What a request is mailed: a code and a link, a link alone, or null for nothing. Nothing is mailed only while an unused
 * link sent within the last hour is still good, so whoever reads the mailbox gets in, whoever has asked before.
 */
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
