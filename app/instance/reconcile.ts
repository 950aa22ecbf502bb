import { trialPlan } from '../../domain/billing/plans.ts'
import { decideNext } from '../../domain/instance/decide-next.ts'
import { mayBeMissedSince } from '../../domain/instance/idle.ts'
import {
  type InstanceRecord,
  isInMaintenance,
  isRollingBack,
  type Reason,
  shownState,
} from '../../domain/instance/instance.ts'
import {
  postponed,
  startFailed,
  startsAgent,
  startsMachine,
  type Transition,
  transition,
} from '../../domain/instance/life-cycle.ts'
import {
  failureOf,
  MachineError,
  type StartFailureCode,
  type TaskStatus,
  takesSpareCapacity,
} from '../../domain/instance/machine.ts'
import { withTask } from '../../domain/instance/machine-tasks.ts'
import { withFailure } from '../../domain/instance/run-changes.ts'
import { isUserStopped } from '../../domain/operator/stops.ts'
import { refusalToStart } from '../../domain/trial/trial.ts'
import { failOpenTasks } from '../files/volume-jobs.ts'
import type { Users } from '../ports/account.ts'
import type { Alarms } from '../ports/basics.ts'
import type { Artifacts } from '../ports/files.ts'
import type { Schedules, Timers } from '../ports/instance.ts'
import type { Denials } from '../ports/models.ts'
import type { MachineTokens } from '../ports/tokens.ts'
import { lost, retry } from '../retry.ts'
import { recordChange } from './change.ts'
import { type CheckPorts, checkRunning } from './check-running.ts'
import { recordRevert } from './upgrade.ts'
import { environmentOf, removeStoredFiles, volumeWorkerFor } from './volume-worker.ts'

export type ReconcilePorts = CheckPorts & {
  machineTokens: MachineTokens
  artifacts: Artifacts
  denials: Denials
  schedules: Schedules
  timers: Timers
  users: Users
  alarms: Alarms
}

interface ObservedTask {
  taskArn: string | null
  status: TaskStatus
  /** Why it stopped: `crash`, or `host` for a stop without a fault of its own. */
  cause: Reason
  /** The obstacle to its start, if its host reports one. */
  failureCode?: StartFailureCode | null
}

export interface TaskEvent extends ObservedTask {
  generation: number
  taskArn: string
  status: 'running' | 'stopped'
}

/**
 * Observes, decides, writes and acts; safe to repeat and to run concurrently. Two machines never share a volume: the
 * next generation starts only after the last machine was seen stopped.
 */
export async function reconcile(deps: ReconcilePorts, userId: string, nowMs: number, event?: TaskEvent): Promise<void> {
  // If every attempt loses, the next event or sweep continues.
  await retry(async () => {
    const record = await deps.instances.find(userId)
    if (!record) return
    const own = event && isOwn(event, record)
    if (event?.status === 'running' && !own) return deps.machines.stop(event.taskArn, 'another machine has its volume')
    const observed = own ? event : await observe(deps, record)
    const { taskArn } = observed
    const tasks = withTask(record.tasks, taskArn, nowMs)
    const known = { ...record, taskArn, tasks, stoppedGeneration: stoppedBy(record, observed) }
    const { next, step, changed } = await decide(deps, known, observed, nowMs)
    if (step === 'check') return checkRunning(deps, known, nowMs)
    if (step === 'remove') return remove(deps, known, record, nowMs)
    if (step === 'run' && (await isEmptyVolume(deps, next))) return skipErasing(deps, next, record, nowMs)
    if (changed && !(await deps.instances.save(next, record))) return lost
    if (changed && shownState(next) !== shownState(record)) await recordChange(deps, next)
    const failure = own ? event.failureCode : null
    if (changed && failure) raiseFailedStart(deps, known, failure)
    else if (changed && next.state === 'failed') raiseFailedStart(deps, known, next.failure?.code ?? 'unknown')
    if (isReverted(known, next)) await recordRevert(deps, known, next)
    if (step === 'run' && (await isClosed(deps, next, nowMs))) return suspendClosed(deps, next, nowMs)
    if (step === 'run' && (await isStopped(deps, next))) return waitStopped(deps, next, nowMs)
    if (step === 'run') return start(deps, next, nowMs)
    if (step === 'stop' && observed.taskArn) await deps.machines.stop(observed.taskArn, `${next.state}: ${next.reason}`)
  })
}

/** A stopped machine had its volume alone at its start, so all machines before it had stopped, too. */
const stoppedBy = (record: InstanceRecord, { status }: ObservedTask): number =>
  status === 'stopped' ? record.generation : record.stoppedGeneration

/** The next state, with facts that only the stores know: a prompt that came while it fell asleep, a waiting task. */
async function decide(
  deps: ReconcilePorts,
  known: InstanceRecord,
  { status, cause, failureCode }: ObservedTask,
  nowMs: number,
): Promise<Transition> {
  // An image that never ran has changed nothing on the volume.
  const first = decideNext(failureCode ? { ...known, preUpgradePoint: null } : known, status, nowMs, cause)
  if (first.changed && first.next.state === 'paused' && first.next.reason === 'idle') {
    const missed = await deps.conversations.openSince(known.userId, mayBeMissedSince(known))
    if (missed) return decideNext({ ...known, desiredState: 'running', reason: 'message' }, status, nowMs, cause)
  }
  const decided = await volumeWorkerFor(deps, known, first, nowMs)
  const { next } = decided
  if (!failureCode || (next.reason !== 'crash' && next.reason !== 'failure')) return decided
  return { ...decided, next: withFailure(known, next, failureOf(failureCode, true)) }
}

/** True when an image on trial has been given up. */
const isReverted = (before: InstanceRecord, after: InstanceRecord): boolean =>
  before.previousImage !== null && after.previousImage === null && after.imageVersion === before.previousImage

/** Without a machine the volume is empty: an eraser that cannot start must not block the deletion. */
const isEmptyVolume = async ({ machines }: ReconcilePorts, record: InstanceRecord): Promise<boolean> =>
  record.state === 'erasing' && !record.volumeErased && !(await machines.hasVolume(record))

async function skipErasing(deps: ReconcilePorts, next: InstanceRecord, record: InstanceRecord, nowMs: number) {
  const erased = { ...next, volumeErased: true, deadlineMs: nowMs, version: record.version + 1 }
  if (await deps.instances.save(erased, record)) await reconcile(deps, record.userId, nowMs)
}

/** True for the agent's machine of an account that is to be erased, or whose trial is over. */
async function isClosed({ users }: ReconcilePorts, record: InstanceRecord, nowMs: number): Promise<boolean> {
  const { userId, state, plan } = record
  if (!startsAgent(state)) return false
  const user = await users.find(userId)
  return Boolean(user?.eraseAt) || (plan === trialPlan.id && refusalToStart(user, record, nowMs) !== null)
}

/** The suspension by the account's deletion or trial's end has not reached the instance yet. */
async function suspendClosed(deps: ReconcilePorts, record: InstanceRecord, nowMs: number): Promise<void> {
  const { next } = transition(record, 'suspend', 'billing', nowMs)
  if (await deps.instances.save(next, record)) await recordChange(deps, next)
}

/** True for the agent's machine, or a volume eraser, while an operator has stopped its user or all users. */
const isStopped = async ({ denials }: ReconcilePorts, { userId, state }: InstanceRecord): Promise<boolean> =>
  (startsAgent(state) || state === 'erasing') && isUserStopped((await denials.current()).stops, userId)

/** Nothing is lost: the sweep tries again until the machine may start. */
async function waitStopped(deps: ReconcilePorts, record: InstanceRecord, nowMs: number): Promise<void> {
  const failure = failureOf('stopped', true)
  await deps.instances.save({ ...postponed(record, nowMs), failure }, record)
}

/** Ends a deletion: stops machines that could write to the volume, then deletes all stored data. */
async function remove(
  deps: ReconcilePorts,
  known: InstanceRecord,
  record: InstanceRecord,
  nowMs: number,
): Promise<void> {
  const left = await deps.machines.alive(known)
  if (left.length > 0) {
    await Promise.all(left.map(({ taskArn }) => deps.machines.stop(taskArn, 'deleted')))
    return
  }
  if (!(await removeStoredFiles(deps, known, nowMs))) {
    await deps.instances.save(postponed(record, nowMs), record)
    return
  }
  await removeSchedules(deps, known.userId)
  await deps.machines.remove(known)
  const { next } = transition(known, 'removed', known.reason, nowMs)
  if (await deps.instances.save(next, record)) await recordChange(deps, next)
}

/** Each schedule is deleted after its timer. */
async function removeSchedules({ schedules, timers }: ReconcilePorts, userId: string): Promise<void> {
  for (const schedule of await schedules.list(userId)) {
    await timers.remove(schedule.id)
    await schedules.remove(userId, schedule)
  }
}

const isOwn = (event: TaskEvent, { generation, taskArn }: InstanceRecord): boolean =>
  event.generation === generation && (taskArn === null || taskArn === event.taskArn)

/** The machine of the record's generation, also when its task was never stored. */
async function observe(deps: ReconcilePorts, record: InstanceRecord): Promise<ObservedTask> {
  if (record.taskArn === null && startsMachine(record.state)) return { taskArn: null, status: 'missing', cause: 'host' }
  const taskArn = record.taskArn ?? (await ownTask(deps, record))
  return { taskArn, status: taskArn ? await deps.machines.observe(taskArn) : 'missing', cause: 'crash' }
}

const ownTask = async (deps: ReconcilePorts, record: InstanceRecord): Promise<string | null> =>
  (await deps.machines.alive(record)).find(({ generation }) => generation === record.generation)?.taskArn ?? null

/** Asks the host for running machines only if the stop of the last machine was not seen. */
async function start(deps: ReconcilePorts, record: InstanceRecord, nowMs: number): Promise<void> {
  const alive = record.stoppedGeneration === record.generation - 1 ? [] : await deps.machines.alive(record)
  const older = alive.filter(({ generation }) => generation !== record.generation)
  if (older.length > 0) {
    await Promise.all(older.map(({ taskArn }) => deps.machines.stop(taskArn, 'another machine has its volume')))
    await deps.instances.save(postponed(record, nowMs), record)
    return
  }
  const own = alive.find(({ generation }) => generation === record.generation)
  if (!own && isRollingBack(record)) await restoreVolume(deps, record, nowMs)
  const taskArn = own?.taskArn ?? (await run(deps, record, nowMs))
  if (taskArn) await saveTask(deps, record, taskArn, nowMs)
}

/** The volume worker of a reverted instance restores this point; safe to repeat. */
async function restoreVolume({ tasks }: ReconcilePorts, { userId, preUpgradePoint }: InstanceRecord, nowMs: number) {
  if (!preUpgradePoint) return
  const { taskId, pointId } = preUpgradePoint
  await tasks.addOwn(userId, taskId, { kind: 'restore', pointId, path: null }, nowMs)
}

/** Starts the machine and returns its task; null when it cannot start, and the instance is `failed`. */
async function run(deps: ReconcilePorts, record: InstanceRecord, nowMs: number): Promise<string | null> {
  try {
    return await deps.machines.run(withImage(deps, record), await environmentOf(deps, record))
  } catch (error) {
    if (!(error instanceof MachineError)) {
      await deps.instances.save(postponed(record, nowMs), record)
      throw error
    }
    raiseFailedStart(deps, record, error.code, error.message)
    const { next, changed } = startFailed(record, failureOf(error.code, error.recoverable), nowMs)
    if (!changed || !(await deps.instances.save(next, record))) return null
    await recordChange(deps, next)
    if (isReverted(record, next)) await recordRevert(deps, record, next)
    if (isInMaintenance(record) && !isInMaintenance(next)) await failOpenTasks(deps, record.userId, nowMs)
    return null
  }
}

/** A lack of spare capacity needs no alarm: ordinary capacity is tried next. */
function raiseFailedStart({ alarms }: ReconcilePorts, record: InstanceRecord, code: string, error = ''): void {
  if (code === 'capacity' && takesSpareCapacity(record)) return
  const { id: instanceId, userId, generation, imageVersion: image } = record
  alarms.raise('MachineStartFailed', 1, { code, error, instanceId, userId, generation, image })
}

/** If a volume eraser failed on the instance's image, the stage's image is tried: the image may be the reason. */
const withImage = ({ settings }: ReconcilePorts, record: InstanceRecord): InstanceRecord =>
  record.state === 'erasing' && record.failedStarts > 0 ? { ...record, imageVersion: settings.imageVersion } : record

async function saveTask(deps: ReconcilePorts, record: InstanceRecord, taskArn: string, nowMs: number): Promise<void> {
  const saved = await deps.instances.setTask(record, taskArn, nowMs)
  const now = saved ? await deps.instances.find(record.userId) : null
  if (now && (now.state === 'running' || now.state === 'maintenance' || startsMachine(now.state))) return
  await deps.machines.stop(taskArn, 'no longer wanted')
}
