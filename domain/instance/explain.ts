import { secondMs } from '../time.ts'
import { cannotStartTexts } from './cannot-start.ts'
import { idleLimits, idleStopAt, unattendedIdleMs } from './idle.ts'
import {
  type Instance,
  type InstanceRecord,
  instanceFacts,
  isEnding,
  isRollingBack,
  passingStates,
  type Reason,
  shownState,
} from './instance.ts'
import { planGiB } from './volume-limit.ts'

const minutes = (ms: number): string => `${Math.round(ms / 60_000)} minutes`

/** Why a machine starts. */
const woken: Partial<Record<Reason, string>> = {
  subscribed: 'it has just been set up',
  user: 'you started it',
  message: 'a message came',
  schedule: 'one of your schedules was due',
  refresh: 'it was refreshed',
  image: 'its software was brought up to date',
  billing: 'the subscription was renewed',
}

/** The last start’s cause in words that stay true while the agent is awake. */
const wakers: Partial<Record<Reason, string>> = {
  subscribed: 'its set-up',
  user: 'you',
  message: 'a message',
  schedule: 'one of your schedules',
  refresh: 'a restart',
  image: 'an update of its software',
  billing: 'the renewal of the subscription',
}

export const explain = (record: InstanceRecord): string =>
  record.overPlanSince !== null && !isEnding(record)
    ? `${explainState(record)} Its volume holds more than the plan’s ${planGiB(record.plan)} GiB: delete what it does not need, or take a larger plan.`
    : explainState(record)

function explainState(record: InstanceRecord): string {
  const idle = minutes(idleLimits(record.plan).idleMs)
  const reason = record.wokenBy ?? 'user'
  const because = woken[reason] ?? 'it is wanted'
  const trouble = record.failure ? ` ${record.failure.message}` : ''
  switch (record.state) {
    case 'provisioning':
      return `The first machine is being made.${trouble}`
    case 'resuming':
      return `A machine is starting because ${because}; in the cloud this takes tens of seconds.${trouble}`
    case 'running':
      if (record.cannotStart?.generation === record.generation) return cannotStartTexts[record.cannotStart.reason]
      if (record.drain)
        return 'Your agent is awake. Nothing has happened for a while, so it is asked whether it may sleep.'
      return `Your agent is awake.${wakers[reason] ? ` It was last woken by ${wakers[reason]}.` : ''} It sleeps after ${idle} without a message, and ${minutes(unattendedIdleMs)} after what a schedule asks.`
    case 'pausing':
      return record.desiredState === 'running'
        ? 'It is stopping, and starts again at once because it is wanted.'
        : `It is stopping: ${asleep(record.reason)}`
    case 'paused':
      return `Asleep: ${asleep(record.reason)}`
    case 'maintenance-starting':
    case 'maintenance':
    case 'maintenance-stopping':
      if (isRollingBack(record))
        return 'The new software did not keep it alive: its files are brought back as they were before, then it starts on the software it had.'
      return record.desiredState === 'running'
        ? 'A volume worker finishes with its files, then a machine starts.'
        : `Asleep: ${asleep(record.reason)} Meanwhile a volume worker, a machine without your agent, works on its files.`
    case 'refreshing':
      return 'The machine stops and starts again.'
    case 'failed':
      return record.failure?.message ?? 'It could not be started.'
    case 'deleting':
    case 'erasing':
      return 'It is being deleted, with everything on its volume.'
    case 'deleted':
      return 'It was deleted. Resume makes a new one.'
  }
}

function asleep(reason: Reason): string {
  if (reason === 'idle') return `nobody asked for anything for a while. A message or a schedule wakes it.`
  if (reason === 'volume')
    return 'its volume has not fitted into the plan for three days. A message or resume wakes it for an hour; schedules do not.'
  if (reason === 'billing') return 'there is no live subscription. Subscribe to wake it.'
  return 'you paused it. A message or resume wakes it; schedules do not.'
}

function usualSeconds(record: InstanceRecord): number | null {
  const passing = passingStates.find((state) => state === shownState(record))
  const usualMs = passing && record.usualMs[passing]
  return usualMs === undefined ? null : Math.ceil(usualMs / secondMs)
}

export const showInstance = (record: InstanceRecord): Instance => ({
  ...instanceFacts.parse({ ...record, state: shownState(record) }),
  idleStopAt: idleStopAt(record),
  usualSeconds: usualSeconds(record),
  explanation: explain(record),
})
