import { dayMs, hourMs } from '../time.ts'

/** Tries of one mailed code, by the browser that asked for it. */
export const codeTries = 5

/** The secrets in an e-mail that proves an address. */
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
  /** The requester. */
  asker: string
  /** Whether it has a code besides its link. */
  code: boolean
}

/**
 * The requester of an e-mail: `own` has a share that no one else can use up, strangers share one. A stranger's id is
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
 * The content of a sign-in e-mail: a code and a link, a link alone, or null for no e-mail. No e-mail is sent only while
 * an unused link of the last hour is still valid, so the mailbox's owner gets in, whatever others requested before.
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
