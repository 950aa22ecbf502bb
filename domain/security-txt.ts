import { dateOf, dayMs } from './time.ts'

/** Validity of a copy, days. */
const goodDays = 90

/** RFC 9116: the contact for abuse by agents and for security problems of the service. */
export const securityTxt = ({ mail, origin, nowMs }: { mail: string; origin: string; nowMs: number }): string =>
  [
    '# Abuse by an agent or an account of this service, or a security problem in it: write to this address.',
    '# Say what happened, when (UTC), and from which address or account. You get an answer.',
    `Contact: mailto:${mail}`,
    `Expires: ${dateOf(nowMs + goodDays * dayMs)}T00:00:00.000Z`,
    'Preferred-Languages: en',
    `Canonical: ${origin}/.well-known/security.txt`,
    '',
  ].join('\n')
