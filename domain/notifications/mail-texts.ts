import type { UserRecord } from '../account/user.ts'
import { formatMicros } from '../dollars.ts'
import { kinds, type NotificationKind } from './kinds.ts'
import { type Letter, ofGroup } from './letter.ts'
import { type Facts, wantsToHear } from './notification.ts'

type MailedHere = { [K in NotificationKind]: (typeof kinds)[K]['mail'] extends 'here' ? K : never }[NotificationKind]

interface Text {
  subject: string
  text: string
}

const scheduleReasons: Record<string, string> = {
  'no-instance': 'There was no machine that could be asked.',
  'wallet-empty': 'The wallet was empty.',
  paused: 'Its machine was paused.',
}

/** What a wallet's limit of a day is for, by its code. */
const limitsOfADay: Record<string, string> = {
  day: 'Today’s spending limit',
  chat: 'Today’s limit for answering messages',
  schedule: 'Today’s limit for scheduled work',
  heartbeat: 'Today’s limit for heartbeats',
  tool: 'Today’s limit for work started by tools',
  api: 'Today’s limit for your own clients',
}

const tokenPeriods: Record<string, { of: string; wait: string }> = {
  total: { of: 'in all', wait: '' },
  day: { of: 'in a day', wait: ' until 00:00 UTC' },
  month: { of: 'in a month', wait: ' until the month ends (UTC)' },
}

/** What is mailed of a kind that has no mail of its own. */
const texts: Record<MailedHere, (facts: Facts) => Text> = {
  'limit-reached': ({ because = '', micros = 0 }) => ({
    subject: 'A spending limit is reached',
    text: `${limitsOfADay[because] ?? 'A spending limit'} of ${formatMicros(micros)} left too little for a model call, which was refused. Others like it are, until 00:00 UTC. Raise the limit if they should go on:`,
  }),
  'token-limit-reached': ({ name = '', because = '', micros = 0 }) => ({
    subject: 'A token has reached its limit',
    text: `The token “${name}” may spend ${formatMicros(micros)} ${tokenPeriods[because]?.of ?? ''}, and what is left of that was too little for a model call, which was refused. Others like it are${tokenPeriods[because]?.wait ?? ''}. Change its limit if they should go on:`,
  }),
  'machine-failed': () => ({
    subject: 'Your agent’s machine could not start',
    text: 'It did not start, although it was tried more than once. Messages are kept, and answered when it runs again. What to do:',
  }),
  'volume-stopped': () => ({
    subject: 'Your agent is paused: its volume has outgrown its plan',
    text: 'Nothing is deleted. Delete what it does not need, or take a larger plan, and resume it:',
  }),
  'runaway-stopped': () => ({
    subject: 'Your agent repeated itself and was stopped',
    text: 'It made the same model call again and again, so further ones are refused for a while. What it did:',
  }),
  'schedule-failed': ({ because = '' }) => ({
    subject: 'A schedule did not run',
    text: `${scheduleReasons[because] ?? 'Its time came, and your agent was not asked.'} Your schedules:`,
  }),
  'signed-in': ({ name = '' }) => ({
    subject: 'New sign-in to your Berth account',
    text: `Somebody signed in with a browser that had not signed in before: ${name}. If it was not you, sign that device out and ask for a new code:`,
  }),
  notice: ({ text = '' }) => ({ subject: 'A notice about your Berth account', text: `${text}\n` }),
}

const isMailedHere = (kind: NotificationKind): kind is MailedHere => kinds[kind].mail === 'here'

/** The mail of a notification; null where it has none of its own, or its user wants none. */
export function notificationMail(
  user: UserRecord,
  { kind, facts, page }: { kind: NotificationKind; facts: Facts; page: string },
  origin: string,
): Letter | null {
  if (!isMailedHere(kind) || !wantsToHear(user.muted, kind, 'mail')) return null
  const { subject, text } = texts[kind](facts)
  const mail = { to: user.email, subject, text: `${text} ${origin}${page}\n` }
  const { group } = kinds[kind]
  return group === 'security' ? mail : ofGroup(user, group, mail)
}
