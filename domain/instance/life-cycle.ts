import { conflict } from '../errors.ts'
import { iso } from '../time.ts'
import {
  backoffMs,
  deadlineOf,
  maxCrashes,
  maxFailedStarts,
  maxVolumeWorkerStarts,
  maxVolumeWorkers,
  quietMs,
  retryMs,
} from './deadlines-and-retries.ts'
import { idleAfterStartMs } from './idle.ts'
import {
  type InstanceRecord,
  isAsleep,
  isInMaintenance,
  passingStates,
  type Reason,
  type State,
  shownState,
} from './instance.ts'
import { failureOf } from './machine.ts'
import { referenceRuntime } from './reference-runtime.ts'
import { trialMs } from './rollout.ts'
import { newRun } from './run.ts'
import { withRuns } from './run-changes.ts'
import { type InstanceEvent, type Step, stepOf, type Target, transitions } from './transitions.ts'

export interface Transition {
  next: InstanceRecord
  step: Step
  changed: boolean
}

/** Entering such a state raises the generation, which invalidates older machine tokens. */
export const startsMachine = (state: State): boolean => stepOf[state] === 'run'

export const startsAgent = (state: State): boolean => state === 'resuming' || state === 'provisioning'

/** Events that reset the count of failed starts. */
const startsAnew = new Set<InstanceEvent>(['machine-running', 'resume', 'maintain', 'delete'])

const desiredOf: Partial<Record<InstanceEvent, InstanceRecord['desiredState']>> = {
  pause: 'paused',
  suspend: 'paused',
  sleep: 'paused',
  delete: 'deleted',
  resume: 'running',
  wake: 'running',
  refresh: 'running',
}

/**
 * @param given why; `host` for a machine that stopped through no fault of its own, which counts as no crash
 * @throws conflict when the event contradicts the transition under way
 */
export function transition(record: InstanceRecord, event: InstanceEvent, given: Reason, nowMs: number): Transition {
  const moved = move(record, event, given, nowMs)
  return moved.changed ? { ...moved, next: withRuns(record, moved.next, nowMs) } : moved
}

function move(record: InstanceRecord, event: InstanceEvent, given: Reason, nowMs: number): Transition {
  const reason = keepsReason(record, event) ? record.reason : given
  const target: Target = transitions[record.state][event]
  if (target === 'conflict') {
    throw conflict(
      `The instance is ${shownState(record)}; it cannot ${event} now. Read /instance/status and try again when it has settled.`,
    )
  }
  if (target === 'same' || isDone(record, event)) return stay(record, 'none')
  if (target === 'later') return wantLater(record, event, reason)
  if (event === 'start-failed') return startFailed(record, failureOf('start-failed', false), nowMs)
  const stopped = event === 'machine-stopped'
  const crashed = stopped && startsAgent(target) && record.state !== 'refreshing' && reason !== 'host'
  const crashes = crashed ? crashesNow(record, nowMs) : crashesAfter(record, event)
  if (crashed && crashes > maxCrashes && record.previousImage === null) return fail(record, crashLoop, nowMs)
  const to = stopped && target === 'paused' && record.desiredState === 'running' ? 'resuming' : target
  const fresh = startsMachine(to) && event !== 'overdue'
  const next: InstanceRecord = {
    ...record,
    crashes,
    desiredState: desiredOf[event] ?? record.desiredState,
    generation: fresh ? record.generation + 1 : record.generation,
    taskArn: fresh ? null : record.taskArn,
    startedAt: event === 'machine-running' ? iso(nowMs) : record.startedAt,
    failedStarts: startsAnew.has(event) ? 0 : record.failedStarts,
    startAfterMs: null,
    wokenBy: fresh && startsAgent(to) && !crashed && reason !== 'host' ? reason : record.wokenBy,
    drain: to === 'pausing' || to === 'paused' ? record.drain : null,
    preUpgradePoint: keepsPoint(record, to) ? record.preUpgradePoint : null,
  }
  delete next.failure
  if (crashed && record.previousImage !== null) {
    // Restore the volume first if a point was kept; else revert only the image.
    const back = { ...revertImage(next), preUpgradePoint: record.preUpgradePoint }
    return enter(back, record.preUpgradePoint ? 'maintenance-starting' : to, 'image', nowMs, 0)
  }
  if (stopped && to === 'erasing' && record.state === 'erasing') return eraseAgain(next, reason, nowMs)
  return enter(next, to, crashed ? 'crash' : reason, nowMs, crashed ? backoffMs(crashes) : 0)
}

/** A volume worker's end leaves the instance's reason for sleep. */
const keepsReason = (record: InstanceRecord, event: InstanceEvent): boolean =>
  event === 'maintain' || (isInMaintenance(record) && desiredOf[event] === undefined)

/** Kept for the trial of a new image and its rollback; dropped when the instance sleeps before the trial. */
const keepsPoint = (record: InstanceRecord, to: State): boolean =>
  record.previousImage !== null ||
  (isInMaintenance(record) ? isInMaintenance({ state: to }) : to !== 'pausing' && to !== 'paused')

/** The new image did not keep its machine alive. */
const revertImage = (record: InstanceRecord): InstanceRecord => ({
  ...record,
  imageVersion: record.previousImage ?? record.imageVersion,
  previousImage: null,
  preUpgradePoint: null,
  crashes: 0,
})

/** A new request clears crashes. A volume worker that used its time gets no successor. */
function crashesAfter(record: InstanceRecord, event: InstanceEvent): number {
  if (record.state === 'maintenance' && event === 'overdue') return maxVolumeWorkers
  const asked = event === 'resume' || event === 'refresh' || event === 'maintain'
  return asked || (isInMaintenance(record) && event === 'machine-stopped') ? 0 : record.crashes
}

/** The volume is not empty yet: another eraser continues, after growing waits. */
function eraseAgain(record: InstanceRecord, reason: Reason, nowMs: number): Transition {
  const failedStarts = record.failedStarts + 1
  return enter({ ...record, failedStarts }, 'erasing', reason, nowMs, retryMs(failedStarts))
}

export const stay = (record: InstanceRecord, step: Step): Transition => ({ next: record, step, changed: false })

/** Checks the same state again soon, after a passing failure of the machine's host. */
export const postponed = (record: InstanceRecord, nowMs: number): InstanceRecord => ({
  ...record,
  deadlineMs: nowMs + retryMs(1),
  version: record.version + 1,
})

/** Retries a start that may work later; otherwise, or after too many tries, the instance has failed. */
export function startFailed(record: InstanceRecord, why: Failure, nowMs: number): Transition {
  const failedStarts = record.failedStarts + 1
  const target: Target = transitions[record.state]['start-failed']
  if (target === 'same') return stay(record, 'none')
  const { previousImage } = record
  // A volume worker's failed start says nothing about an image on trial. The trial may have damaged the volume, which
  // is restored with the image.
  if (previousImage !== null && !isInMaintenance(record) && why.code !== 'capacity' && why.code !== 'quota') {
    const next = { ...revertImage(record), deadlineMs: nowMs, version: record.version + 1 }
    return { next, step: 'none', changed: true }
  }
  const most = target === 'paused' ? maxVolumeWorkerStarts : maxFailedStarts
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

export const isWaiting = ({ startAfterMs }: Pick<InstanceRecord, 'startAfterMs'>, nowMs: number): boolean =>
  startAfterMs !== null && startAfterMs > nowMs

/** The desired state holds or is on its way, even with a volume worker in between. */
function isDone(record: InstanceRecord, event: InstanceEvent): boolean {
  if (event === 'suspend') return isAsleep(record) && record.reason === 'billing' && record.desiredState === 'paused'
  const isSo = isInMaintenance(record) && event !== 'delete' && desiredOf[event] === record.desiredState
  return isSo && !isPausedByUser(record, event)
}

/** A user's pause of a sleeping instance also stops schedules from waking it. */
const isPausedByUser = ({ reason }: InstanceRecord, event: InstanceEvent): boolean =>
  event === 'pause' && reason === 'idle'

const crashesNow = ({ state, startedAt, crashes }: InstanceRecord, nowMs: number): number =>
  state === 'running' && startedAt !== null && nowMs - Date.parse(startedAt) >= quietMs ? 1 : crashes + 1

function wantLater(record: InstanceRecord, event: InstanceEvent, reason: Reason): Transition {
  const desiredState = desiredOf[event] ?? record.desiredState
  const byUser = isPausedByUser(record, event)
  if (record.desiredState === desiredState && !byUser) return stay(record, 'none')
  const why = byUser || isInMaintenance(record) ? reason : record.reason
  return { next: { ...record, desiredState, reason: why, version: record.version + 1 }, step: 'none', changed: true }
}

function enter(record: InstanceRecord, to: State, reason: Reason, nowMs: number, waitMs: number): Transition {
  const limit = to === 'running' ? firstCheckMs(record) : deadlineOf[to]
  const deadlineMs = waitMs > 0 ? nowMs + waitMs : limit === null ? null : nowMs + limit
  const startAfterMs = waitMs > 0 ? deadlineMs : record.startAfterMs
  const next = { ...record, state: to, reason, deadlineMs, startAfterMs, version: record.version + 1 }
  return { next: noteDuration(record, next, nowMs), step: waitMs > 0 ? 'none' : stepOf[to], changed: true }
}

/** Records the time of a change of the shown state, and the last state's duration as an estimate for the next. */
function noteDuration(record: InstanceRecord, next: InstanceRecord, nowMs: number): InstanceRecord {
  const [left, entered] = [shownState(record), shownState(next)]
  if (left === entered) return next
  const noted = { ...next, since: iso(nowMs) }
  const passing = passingStates.find((state) => state === left)
  if (!passing || record.since === null || entered === 'failed') return noted
  const lastedMs = Math.max(nowMs - Date.parse(record.since), 0)
  const { [passing]: usualMs = lastedMs } = record.usualMs
  // A moving average: the last duration has half of the weight.
  return { ...noted, usualMs: { ...record.usualMs, [passing]: Math.round((usualMs + lastedMs) / 2) } }
}

/** Time until the first check of a started machine: the end of its image's trial, or of its idle time. */
const firstCheckMs = (record: InstanceRecord): number =>
  record.previousImage !== null ? trialMs : Math.min(deadlineOf.running, idleAfterStartMs(record))

type Failure = NonNullable<InstanceRecord['failure']>

function fail(record: InstanceRecord, failure: Failure, nowMs: number): Transition {
  const failed = enter({ ...record, failure }, 'failed', 'failure', nowMs, 0)
  return { ...failed, next: withRuns(record, failed.next, nowMs) }
}

const crashLoop: Failure = {
  code: 'crash-loop',
  message: 'The agent stopped several times in a row. Read its logs, then resume the instance.',
  recoverable: true,
}

/** `after` keeps the machines of an older instance locked out. */
export const newInstance = (
  ids: { instanceId: string; userId: string },
  plan: string,
  image: string,
  nowMs: number,
  after: Pick<InstanceRecord, 'generation' | 'version'> | null = null,
): InstanceRecord => ({
  id: ids.instanceId,
  userId: ids.userId,
  version: (after?.version ?? 0) + 1,
  plan,
  state: 'provisioning',
  desiredState: 'running',
  reason: 'subscribed',
  model: 'default',
  persona: 'default',
  runtime: referenceRuntime,
  imageVersion: image,
  generation: (after?.generation ?? 0) + 1,
  createdAt: iso(nowMs),
  since: iso(nowMs),
  usualMs: {},
  startedAt: null,
  lastActivityAt: iso(nowMs),
  attendedAt: iso(nowMs),
  idleStopAt: null,
  taskArn: null,
  tasks: [],
  // Events of an older instance have no effect: this one has a volume of its own.
  stoppedGeneration: after?.generation ?? 0,
  deadlineMs: nowMs + deadlineOf.provisioning,
  crashes: 0,
  failedStarts: 0,
  startAfterMs: null,
  wokenBy: 'subscribed',
  drain: null,
  previousImage: null,
  preUpgradePoint: null,
  overPlanSince: null,
  cannotStart: null,
  run: newRun((after?.generation ?? 0) + 1, 'subscribed', nowMs),
  lastRun: null,
  volumeErased: false,
})
