import type { UserRecord } from '../account/user.ts'
import type { Trigger } from '../chat/message.ts'
import { formatMicros } from '../dollars.ts'
import type { CapPeriod } from '../tokens/caps.ts'
import { activities, periodWords } from '../wallet/limits.ts'
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

const isTrigger = (text: string): text is Trigger => Object.hasOwn(activities, text)
const isPeriod = (text: string): text is CapPeriod => Object.hasOwn(periodWords, text)

/** Until when a token's limit refuses calls. */
const waits: Record<CapPeriod, string> = { total: '', day: ' until 00:00 UTC', month: ' until the month ends (UTC)' }

/** What is mailed of a kind that has no mail of its own. */
const texts: Record<MailedHere, (facts: Facts) => Text> = {
  'limit-reached': ({ because = '', micros = 0 }) => ({
    subject: 'A spending limit is reached',
    text: `${isTrigger(because) ? `Today’s limit for ${activities[because]}` : 'Today’s spending limit'} of ${formatMicros(micros)} left too little for a model call, which was refused. Others like it are, until 00:00 UTC. Raise the limit if they should go on:`,
  }),
  'token-limit-reached': ({ name = '', because = '', micros = 0 }) => ({
    subject: 'A token has reached its limit',
    text: `The token “${name}” may spend ${formatMicros(micros)} ${isPeriod(because) ? periodWords[because].of : ''}, and what is left of that was too little for a model call, which was refused. Others like it are${isPeriod(because) ? waits[because] : ''}. Change its limit if they should go on:`,
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
  'chat-linked': ({ name = '' }) => ({
    subject: 'A chat was linked to your Berth account',
    text: `Who writes there talks to your agent: ${name}. If it was not you who linked it, unlink it, and sign out devices you do not know:`,
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
