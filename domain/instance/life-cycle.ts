import { conflict } from '../errors.ts'
import { iso, minuteMs, secondMs } from '../time.ts'
import { type InstanceRecord, isAsleep, isKept, type Reason, type State, shownState } from './instance.ts'
import { failureOf } from './machine.ts'
import { trialMs } from './rollout.ts'
import { deadlineOf, type Step, stepOf, type Target, table, type Verb } from './table.ts'

/** A machine that died this many times in a row is left alone as `failed`. */
export const maxCrashes = 5

/** A machine that ran this long before it died did not die "in a row", ms. */
const quietMs = 10 * minuteMs

/** Wait before the n-th restart in a row, ms: 0, 2 s, 4 s, 8 s … */
export const backoffMs = (crashes: number): number => (crashes <= 1 ? 0 : Math.min(2 ** (crashes - 1), 60) * secondMs)

/** Wait before the n-th try of a start that failed for a passing reason, ms: 30 s, 1 min, 2 min … 15 min. */
export const retryMs = (failures: number): number =>
  Math.min(30 * secondMs * 2 ** Math.max(failures - 1, 0), 15 * minuteMs)

/** A start that failed this many times in a row is given up: about two hours; a keeper's, whose user waits, much sooner. */
export const maxFailedStarts = 12
const maxKeeperStarts = 4

/** So many keepers may go before what is asked of them is done; what is left then is given up. */
export const maxKeepers = 3

export interface Transition {
  next: InstanceRecord
  step: Step
  changed: boolean
}

/** True for states whose machine starts afresh: entering them raises the generation and kills the older tokens. */
export const startsMachine = (state: State): boolean => stepOf[state] === 'run'

/** Of those, the ones whose machine has the agent. */
const startsAgent = (state: State): boolean => state === 'resuming' || state === 'provisioning'

/** Starts that failed before these do not count after them. */
const startsAnew: ReadonlySet<Verb> = new Set<Verb>(['machine-running', 'resume', 'keep', 'delete'])

/** What each verb makes of the desired state; the others leave it. */
const desiredOf: Partial<Record<Verb, InstanceRecord['desiredState']>> = {
  pause: 'paused',
  suspend: 'paused',
  sleep: 'paused',
  delete: 'deleted',
  resume: 'running',
  wake: 'running',
  refresh: 'running',
}

/**
 * One step of the life cycle, decided from the record alone.
 * @param given why; `host` for a machine that stopped through no fault of its own, which counts as no crash
 * @throws conflict when the verb contradicts the transition under way
 */
export function transition(record: InstanceRecord, verb: Verb, given: Reason, nowMs: number): Transition {
  const reason = isKeeping(record, verb) ? record.reason : given
  const target: Target = table[record.state][verb]
  if (target === 'conflict') {
    throw conflict(
      `The instance is ${shownState(record)}; it cannot ${verb} now. Read /instance/status and try again when it has settled.`,
    )
  }
  if (target === 'same' || isDone(record, verb)) return stay(record, 'none')
  if (target === 'later') return wantLater(record, verb, reason)
  if (verb === 'start-failed') return startFailed(record, failureOf('start-failed', false), nowMs)
  const stopped = verb === 'machine-stopped'
  const crashed = stopped && startsAgent(target) && record.state !== 'refreshing' && reason !== 'host'
  const crashes = crashed ? crashesNow(record, nowMs) : crashesAfter(record, verb)
  if (crashed && crashes > maxCrashes && record.previousImage === null) return fail(record, crashLoop, nowMs)
  const to = stopped && target === 'paused' && record.desiredState === 'running' ? 'resuming' : target
  const fresh = startsMachine(to) && verb !== 'overdue'
  const next: InstanceRecord = {
    ...record,
    crashes,
    desiredState: desiredOf[verb] ?? record.desiredState,
    generation: fresh ? record.generation + 1 : record.generation,
    taskArn: fresh ? null : record.taskArn,
    startedAt: verb === 'machine-running' ? iso(nowMs) : record.startedAt,
    failedStarts: startsAnew.has(verb) ? 0 : record.failedStarts,
    startAfterMs: null,
    wokenBy: fresh && startsAgent(to) && !crashed && reason !== 'host' ? reason : record.wokenBy,
    drain: to === 'pausing' || to === 'paused' ? record.drain : null,
    before: outlives(record, to) ? record.before : null,
  }
  delete next.failure
  if (crashed && record.previousImage !== null) {
    // The volume first, if it was kept before; else the image alone.
    const back = { ...wentBack(next), before: record.before }
    return enter(back, record.before ? 'opening' : to, 'image', nowMs, 0)
  }
  if (stopped && to === 'erasing' && record.state === 'erasing') return eraseAgain(next, reason, nowMs)
  return enter(next, to, crashed ? 'crash' : reason, nowMs, crashed ? backoffMs(crashes) : 0)
}

/** What becomes of a keeper is no reason of the instance: that stays what it was put to sleep for. */
const isKeeping = (record: InstanceRecord, verb: Verb): boolean =>
  verb === 'keep' || (isKept(record) && desiredOf[verb] === undefined)

/** What was kept before a change is for its trial, and for going back; one that sleeps meanwhile changes nothing. */
const outlives = (record: InstanceRecord, to: State): boolean =>
  record.previousImage !== null || (isKept(record) ? isKept({ state: to }) : to !== 'pausing' && to !== 'paused')

/** With the image it had before: the new one did not keep its machine alive. */
const wentBack = (record: InstanceRecord): InstanceRecord => ({
  ...record,
  imageVersion: record.previousImage ?? record.imageVersion,
  previousImage: null,
  before: null,
  crashes: 0,
})

/** What failed before says nothing of what is asked now; a keeper whose time is up gets no successor. */
function crashesAfter(record: InstanceRecord, verb: Verb): number {
  if (record.state === 'keeping' && verb === 'overdue') return maxKeepers
  const asked = verb === 'resume' || verb === 'refresh' || verb === 'keep'
  return asked || (isKept(record) && verb === 'machine-stopped') ? 0 : record.crashes
}

/** An eraser went before the volume was empty: another one goes on, after longer and longer waits. */
function eraseAgain(record: InstanceRecord, reason: Reason, nowMs: number): Transition {
  const failedStarts = record.failedStarts + 1
  return enter({ ...record, failedStarts }, 'erasing', reason, nowMs, retryMs(failedStarts))
}

export const stay = (record: InstanceRecord, step: Step): Transition => ({ next: record, step, changed: false })

/** The same state again, to be looked at soon: what was asked of the machine's host did not work out for now. */
export const postponed = (record: InstanceRecord, nowMs: number): InstanceRecord => ({
  ...record,
  deadlineMs: nowMs + retryMs(1),
  version: record.version + 1,
})

/**
 * A start that did not work out. It is tried again after a while if it may work then, and says meanwhile what is in the
 * way; else, or after too many tries, the instance has failed.
 */
export function startFailed(record: InstanceRecord, why: Failure, nowMs: number): Transition {
  const failedStarts = record.failedStarts + 1
  const target: Target = table[record.state]['start-failed']
  if (target === 'same') return stay(record, 'none')
  const { previousImage } = record
  if (previousImage !== null && why.code !== 'capacity' && why.code !== 'quota') {
    return {
      next: { ...wentBack(record), deadlineMs: nowMs, version: record.version + 1 },
      step: 'none',
      changed: true,
    }
  }
  const most = target === 'paused' ? maxKeeperStarts : maxFailedStarts
  if (target !== 'erasing' && (!why.recoverable || failedStarts >= most)) {
    if (target === 'paused') return transition(record, 'machine-stopped', record.reason, nowMs)
    return fail({ ...record, failedStarts }, why, nowMs)
  }
  const again = nowMs + retryMs(failedStarts)
  const next = {
    ...record,
    failedStarts,
    failure: why,
    startAfterMs: again,
    deadlineMs: again,
    version: record.version + 1,
  }
  return { next, step: 'none', changed: true }
}

/** True while a restart waits for its backoff; the sweep starts it when the deadline has passed. */
export const isWaiting = ({ startAfterMs }: Pick<InstanceRecord, 'startAfterMs'>, nowMs: number): boolean =>
  startAfterMs !== null && startAfterMs > nowMs

/** What is asked is so already, or on its way, though a keeper stands in between. */
function isDone(record: InstanceRecord, verb: Verb): boolean {
  if (verb === 'suspend') return isAsleep(record) && record.reason === 'billing' && record.desiredState === 'paused'
  return isKept(record) && verb !== 'delete' && desiredOf[verb] === record.desiredState
}

const crashesNow = ({ state, startedAt, crashes }: InstanceRecord, nowMs: number): number =>
  state === 'running' && startedAt !== null && nowMs - Date.parse(startedAt) >= quietMs ? 1 : crashes + 1

function wantLater(record: InstanceRecord, verb: Verb, reason: Reason): Transition {
  const desiredState = desiredOf[verb] ?? record.desiredState
  if (record.desiredState === desiredState) return stay(record, 'none')
  const why = isKept(record) ? reason : record.reason
  return { next: { ...record, desiredState, reason: why, version: record.version + 1 }, step: 'none', changed: true }
}

function enter(record: InstanceRecord, to: State, reason: Reason, nowMs: number, waitMs: number): Transition {
  const limit = to === 'running' && record.previousImage !== null ? trialMs : deadlineOf[to]
  const deadlineMs = waitMs > 0 ? nowMs + waitMs : limit === null ? null : nowMs + limit
  const startAfterMs = waitMs > 0 ? deadlineMs : record.startAfterMs
  const next = { ...record, state: to, reason, deadlineMs, startAfterMs, version: record.version + 1 }
  return { next, step: waitMs > 0 ? 'none' : stepOf[to], changed: true }
}

export type Failure = NonNullable<InstanceRecord['failure']>

const fail = (record: InstanceRecord, failure: Failure, nowMs: number): Transition =>
  enter({ ...record, failure }, 'failed', 'failure', nowMs, 0)

const crashLoop: Failure = {
  code: 'crash-loop',
  message: 'The agent stopped several times in a row. Read its logs, then resume the instance.',
  recoverable: true,
}

/** A new instance on its way to its first machine; after an older one, machines of that one stay locked out. */
export function newInstance(
  ids: { instanceId: string; userId: string },
  plan: string,
  image: string,
  nowMs: number,
  after: Pick<InstanceRecord, 'generation' | 'version'> | null = null,
): InstanceRecord {
  return {
    id: ids.instanceId,
    userId: ids.userId,
    version: (after?.version ?? 0) + 1,
    plan,
    state: 'provisioning',
    desiredState: 'running',
    reason: 'subscribed',
    model: 'default',
    persona: 'default',
    imageVersion: image,
    generation: (after?.generation ?? 0) + 1,
    createdAt: iso(nowMs),
    startedAt: null,
    lastActivityAt: iso(nowMs),
    idleStopAt: null,
    taskArn: null,
    deadlineMs: nowMs + deadlineOf.provisioning,
    crashes: 0,
    failedStarts: 0,
    startAfterMs: null,
    wokenBy: 'subscribed',
    drain: null,
    previousImage: null,
    before: null,
    overPlanSince: null,
    emptied: false,
  }
}
