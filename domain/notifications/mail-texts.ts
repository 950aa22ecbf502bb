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
  'no-instance': 'You had no machine.',
  'wallet-empty': 'Your wallet was empty.',
  paused: 'Your machine was paused.',
}

const isTrigger = (text: string): text is Trigger => Object.hasOwn(activities, text)
const isPeriod = (text: string): text is CapPeriod => Object.hasOwn(periodWords, text)

const waits: Record<CapPeriod, string> = { total: '', day: ' until 00:00 UTC', month: ' until the month ends (UTC)' }

const texts: Record<MailedHere, (facts: Facts) => Text> = {
  'limit-reached': ({ because = '', micros = 0 }) => ({
    subject: 'A spending limit is reached',
    text: `${isTrigger(because) ? `Today’s limit for ${activities[because]}` : 'Today’s spending limit'} of ${formatMicros(micros)} left too little for a model call, so the call was refused. Similar calls will be refused until 00:00 UTC. To allow them, raise the limit:`,
  }),
  'token-limit-reached': ({ name = '', because = '', micros = 0 }) => ({
    subject: 'A token has reached its spending limit',
    text: `The token “${name}” may spend ${formatMicros(micros)} ${isPeriod(because) ? periodWords[because].of : ''}, and the rest was too little for a model call, so the call was refused. Similar calls will be refused${isPeriod(because) ? waits[because] : ''}. To allow them, change the limit:`,
  }),
  'machine-failed': () => ({
    subject: 'Your agent’s machine could not start',
    text: 'Several attempts to start it failed. Your messages are kept and will be answered when it runs again. See what to do:',
  }),
  'volume-stopped': () => ({
    subject: 'Your agent is paused: its volume exceeds your plan',
    text: 'No files were deleted. Delete files that you don’t need, or choose a larger plan, then resume the agent:',
  }),
  'runaway-stopped': () => ({
    subject: 'Your agent repeated itself and was stopped',
    text: 'It repeated the same model call many times, so further calls are refused for a while. See what it did:',
  }),
  'schedule-failed': ({ because = '' }) => ({
    subject: 'A schedule did not run',
    text: `${scheduleReasons[because] ?? 'Your agent could not be asked.'} Your schedules:`,
  }),
  'signed-in': ({ name = '' }) => ({
    subject: 'New sign-in to your Berth account',
    text: `Somebody signed in with a browser that had not signed in before: ${name}. If it was not you, sign that device out and ask for a new code:`,
  }),
  'chat-linked': ({ name = '' }) => ({
    subject: 'A chat was linked to your Berth account',
    text: `People in this chat can now talk to your agent: ${name}. If you did not link it, unlink it, and sign out devices you do not know:`,
  }),
  notice: ({ text = '' }) => ({ subject: 'A notice about your Berth account', text: `${text}\n` }),
}

const isMailedHere = (kind: NotificationKind): kind is MailedHere => kinds[kind].mail === 'here'

/** Null if its kind has no e-mail, or its user turned it off. */
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
