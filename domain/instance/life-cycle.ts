import { conflict } from '../errors.ts'
import { iso, minuteMs, secondMs } from '../time.ts'
import type { InstanceRecord, Reason, State } from './instance.ts'
import { type Target, table, type Verb } from './table.ts'

export { table } from './table.ts'

/** What the driver does next; every step may be repeated without harm. */
export type Step = 'run' | 'stop' | 'none'

/** What the driver does on entering a state. */
const stepOf = {
  provisioning: 'run',
  resuming: 'run',
  running: 'none',
  pausing: 'stop',
  refreshing: 'stop',
  deleting: 'stop',
  paused: 'none',
  failed: 'none',
  deleted: 'none',
} as const satisfies Record<State, Step>

/**
 * How long a state may last before the sweep looks at it again, ms; null is a state of rest. A running machine is
 * looked at in case the event that it stopped was lost.
 */
const deadlineOf = {
  provisioning: 5 * minuteMs,
  resuming: 5 * minuteMs,
  pausing: 3 * minuteMs,
  refreshing: 3 * minuteMs,
  deleting: 3 * minuteMs,
  running: 15 * minuteMs,
  paused: null,
  failed: null,
  deleted: null,
} as const satisfies Record<State, number | null>

/** A machine that died this many times in a row is left alone as `failed`. */
export const maxCrashes = 5

/** A machine that ran this long before it died did not die "in a row", ms. */
const quietMs = 10 * minuteMs

/** Wait before the n-th restart in a row, ms: 0, 2 s, 4 s, 8 s … */
export const backoffMs = (crashes: number): number => (crashes <= 1 ? 0 : Math.min(2 ** (crashes - 1), 60) * secondMs)

/** Wait before a start that failed for a passing reason is tried again, ms. */
const retryMs = 30 * secondMs

export interface Transition {
  next: InstanceRecord
  step: Step
  changed: boolean
}

/** True for states whose machine starts afresh: entering them raises the generation and kills the older tokens. */
export const startsMachine = (state: State): boolean => state === 'resuming' || state === 'provisioning'

/** What each verb makes of the desired state; the others leave it. */
const desiredOf: Partial<Record<Verb, InstanceRecord['desiredState']>> = {
  pause: 'paused',
  suspend: 'paused',
  delete: 'deleted',
  resume: 'running',
  wake: 'running',
  refresh: 'running',
}

/**
 * One step of the life cycle, decided from the record alone.
 * @param reason why; `host` for a machine that stopped through no fault of its own, which counts as no crash
 * @throws conflict when the verb contradicts the transition under way
 */
export function transition(record: InstanceRecord, verb: Verb, reason: Reason, nowMs: number): Transition {
  const target: Target = table[record.state][verb]
  if (target === 'conflict') {
    throw conflict(
      `The instance is ${record.state}; it cannot ${verb} now. Read /instance/status and try again when it has settled.`,
    )
  }
  if (target === 'same' || (verb === 'suspend' && isSuspended(record))) return stay(record, 'none')
  if (target === 'later') return wantLater(record)
  if (verb === 'start-failed') return fail(record, startFailure, nowMs)
  const stopped = verb === 'machine-stopped'
  const crashed = stopped && startsMachine(target) && record.state !== 'refreshing' && reason !== 'host'
  const crashes = crashed ? crashesNow(record, nowMs) : verb === 'resume' || verb === 'refresh' ? 0 : record.crashes
  if (crashed && crashes > maxCrashes) return fail(record, crashLoop, nowMs)
  const to = stopped && target === 'paused' && record.desiredState === 'running' ? 'resuming' : target
  const fresh = startsMachine(to) && verb !== 'overdue'
  const next: InstanceRecord = {
    ...record,
    crashes,
    desiredState: desiredOf[verb] ?? record.desiredState,
    generation: fresh ? record.generation + 1 : record.generation,
    taskArn: fresh ? null : record.taskArn,
    startedAt: verb === 'machine-running' ? iso(nowMs) : record.startedAt,
  }
  delete next.failure
  return enter(next, to, crashed ? 'crash' : reason, nowMs, crashed ? backoffMs(crashes) : 0)
}

export const stay = (record: InstanceRecord, step: Step): Transition => ({ next: record, step, changed: false })

/** The same state again, to be looked at soon: what was asked of the machine's host did not work out for now. */
export const postponed = (record: InstanceRecord, nowMs: number): InstanceRecord => ({
  ...record,
  deadlineMs: nowMs + retryMs,
  version: record.version + 1,
})

/** True while a restart waits for its backoff; the sweep starts it when the deadline has passed. */
export const isWaiting = ({ deadlineMs, crashes }: InstanceRecord, nowMs: number): boolean =>
  deadlineMs !== null && deadlineMs > nowMs && deadlineMs - nowMs <= backoffMs(crashes)

const isSuspended = ({ state, reason, desiredState }: InstanceRecord): boolean =>
  (state === 'pausing' || state === 'paused') && reason === 'billing' && desiredState === 'paused'

const crashesNow = ({ state, startedAt, crashes }: InstanceRecord, nowMs: number): number =>
  state === 'running' && startedAt !== null && nowMs - Date.parse(startedAt) >= quietMs ? 1 : crashes + 1

function wantLater(record: InstanceRecord): Transition {
  if (record.desiredState === 'running') return stay(record, 'none')
  return { next: { ...record, desiredState: 'running', version: record.version + 1 }, step: 'none', changed: true }
}

function enter(record: InstanceRecord, to: State, reason: Reason, nowMs: number, waitMs: number): Transition {
  const limit = deadlineOf[to]
  const deadlineMs = waitMs > 0 ? nowMs + waitMs : limit === null ? null : nowMs + limit
  const next = { ...record, state: to, reason, deadlineMs, version: record.version + 1 }
  return { next, step: waitMs > 0 ? 'none' : stepOf[to], changed: true }
}

type Failure = NonNullable<InstanceRecord['failure']>

const fail = (record: InstanceRecord, failure: Failure, nowMs: number): Transition =>
  enter({ ...record, failure }, 'failed', 'failure', nowMs, 0)

const crashLoop: Failure = {
  code: 'crash-loop',
  message: 'The agent stopped several times in a row. Read its logs, then resume the instance.',
  recoverable: true,
}

const startFailure: Failure = {
  code: 'start-failed',
  message: 'The machine could not be started. Resume the instance to try again; if that fails, contact support.',
  recoverable: true,
}

/** A new instance on its way to its first machine. */
export function newInstance(
  ids: { instanceId: string; userId: string },
  plan: string,
  image: string,
  nowMs: number,
): InstanceRecord {
  return {
    id: ids.instanceId,
    userId: ids.userId,
    version: 1,
    plan,
    state: 'provisioning',
    desiredState: 'running',
    reason: 'subscribed',
    model: 'default',
    persona: 'default',
    imageVersion: image,
    generation: 1,
    createdAt: iso(nowMs),
    startedAt: null,
    lastActivityAt: iso(nowMs),
    idleStopAt: null,
    taskArn: null,
    deadlineMs: nowMs + deadlineOf.provisioning,
    crashes: 0,
  }
}
