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
import { isMissed } from '../../domain/operator/machine.ts'
import { isUserStopped } from '../../domain/operator/stops.ts'
import { refusalToStart } from '../../domain/trial/trial.ts'
import { failOpenTasks } from '../files/volume-jobs.ts'
import type { Basics, Ports } from '../ports.ts'
import { lost, retry } from '../retry.ts'
import { dueInShards, sweep } from '../sweep.ts'
import { recordChange } from './change.ts'
import { type CheckPorts, checkRunning } from './check-running.ts'
import { recordRevert } from './upgrade.ts'
import { environmentOf, removeStoredFiles, volumeWorkerFor } from './volume-worker.ts'

export type ReconcilePorts = CheckPorts &
  Pick<Ports, 'machineTokens' | 'artifacts' | 'denials' | 'schedules' | 'timers' | 'users'> &
  Pick<Basics, 'clock' | 'alarms'>

/** The ports of the jobs that reconcile. */
export const reconcileUses = {
  connections: 'write',
  conversations: 'write',
  denials: 'read',
  events: 'write',
  instances: 'write',
  machines: 'write',
  machineTokens: 'write',
  artifacts: 'write',
  restorePoints: 'write',
  rollouts: 'write',
  schedules: 'write',
  sockets: 'write',
  tasks: 'write',
  timers: 'write',
  users: 'read',
} as const

/** An event's information about one machine. */
export interface TaskEvent {
  generation: number
  taskArn: string
  status: 'running' | 'stopped'
  /** Why it stopped: `crash`, or `host` for no fault of its own. */
  cause: Reason
  /** The obstacle to its start, if its host reports one. */
  failureCode?: StartFailureCode | null
}

/**
 * Reads an instance, observes its machine, decides, writes and acts. Every step may be repeated, and two at once do no
 * more than one. Never two machines on one volume: only a machine that is seen stopped makes room for the next
 * generation.
 */
export async function reconcile(deps: ReconcilePorts, userId: string, nowMs: number, event?: TaskEvent): Promise<void> {
  // If every attempt loses, the next event or sweep continues.
  await retry(async () => {
    const record = await deps.instances.find(userId)
    if (!record) return
    const own = event && isOwn(event, record)
    if (event?.status === 'running' && !own) return deps.machines.stop(event.taskArn, 'another machine has its volume')
    const observed = own ? event : await observe(deps, record)
    const known = { ...record, taskArn: observed.taskArn, stoppedGeneration: stoppedBy(record, observed) }
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

/** A machine that stopped had its volume alone when it was started, so those before it had stopped, too. */
const stoppedBy = (record: InstanceRecord, { status }: ObservedTask): number =>
  status === 'stopped' ? record.generation : record.stoppedGeneration

interface ObservedTask {
  taskArn: string | null
  status: TaskStatus
  cause: Reason
  failureCode?: StartFailureCode | null
}

/**
 * The instance's next state, with the facts that only the stores know: a prompt that came while it fell asleep, a
 * waiting task.
 */
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
  return { ...decided, next: { ...next, failure: failureOf(failureCode, true) } }
}

/** True when an image that was on trial has been given up. */
const isReverted = (before: InstanceRecord, after: InstanceRecord): boolean =>
  before.previousImage !== null && after.previousImage === null && after.imageVersion === before.previousImage

/**
 * A volume eraser that could not start must not keep an instance that never had a machine: nothing was ever written.
 */
const isEmptyVolume = async ({ machines }: ReconcilePorts, record: InstanceRecord): Promise<boolean> =>
  record.state === 'erasing' && !record.volumeErased && !(await machines.hasVolume(record))

async function skipErasing(deps: ReconcilePorts, next: InstanceRecord, record: InstanceRecord, nowMs: number) {
  const erased = { ...next, volumeErased: true, deadlineMs: nowMs, version: record.version + 1 }
  if (await deps.instances.save(erased, record)) await reconcile(deps, record.userId, nowMs)
}

/** True when the machine would be the agent's, and its account is set to be erased, or its trial is over. */
async function isClosed({ users }: ReconcilePorts, record: InstanceRecord, nowMs: number): Promise<boolean> {
  const { userId, state, plan } = record
  if (!startsAgent(state)) return false
  const user = await users.find(userId)
  return Boolean(user?.eraseAt) || (plan === trialPlan.id && refusalToStart(user, record, nowMs) !== null)
}

/** The cause of the suspension, the account's deletion or its trial's end, has not reached the instance yet. */
async function suspendClosed(deps: ReconcilePorts, record: InstanceRecord, nowMs: number): Promise<void> {
  const { next } = transition(record, 'suspend', 'billing', nowMs)
  if (await deps.instances.save(next, record)) await recordChange(deps, next)
}

/** True when an operator has stopped its user, or all, and the machine would be the agent's, or empty the volume. */
const isStopped = async ({ denials }: ReconcilePorts, { userId, state }: InstanceRecord): Promise<boolean> =>
  (startsAgent(state) || state === 'erasing') && isUserStopped((await denials.current()).stops, userId)

/** Nothing of what it was to start for is lost: the sweep looks again until it may start. */
async function waitStopped(deps: ReconcilePorts, record: InstanceRecord, nowMs: number): Promise<void> {
  const failure = failureOf('stopped', true)
  await deps.instances.save({ ...postponed(record, nowMs), failure }, record)
}

/** The end of a deletion: nothing is left that could write to the volume, and what was kept of it goes too. */
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

/** In any deletion, schedules are deleted with the instance, each after its timer. */
async function removeSchedules({ schedules, timers }: ReconcilePorts, userId: string): Promise<void> {
  for (const schedule of await schedules.list(userId)) {
    await timers.remove(schedule.id)
    await schedules.remove(userId, schedule)
  }
}

const isOwn = (event: TaskEvent, { generation, taskArn }: InstanceRecord): boolean =>
  event.generation === generation && (taskArn === null || taskArn === event.taskArn)

/** The machine of the record's generation, also one whose task nobody came to note. */
async function observe(deps: ReconcilePorts, record: InstanceRecord): Promise<ObservedTask> {
  if (record.taskArn === null && startsMachine(record.state)) return { taskArn: null, status: 'missing', cause: 'host' }
  const taskArn = record.taskArn ?? (await ownTask(deps, record))
  return { taskArn, status: taskArn ? await deps.machines.observe(taskArn) : 'missing', cause: 'crash' }
}

const ownTask = async (deps: ReconcilePorts, record: InstanceRecord): Promise<string | null> =>
  (await deps.machines.alive(record)).find(({ generation }) => generation === record.generation)?.taskArn ?? null

/**
 * The host is asked what runs only when the end of the machine before was not seen: its event was lost, or its start
 * was.
 */
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
  if (taskArn) await saveTask(deps, record, taskArn)
}

/** The purpose of the volume worker of an instance that is reverted; a repeated request has no further effect. */
async function restoreVolume({ tasks }: ReconcilePorts, { userId, preUpgradePoint }: InstanceRecord, nowMs: number) {
  if (!preUpgradePoint) return
  const { taskId, pointId } = preUpgradePoint
  await tasks.addOwn(userId, taskId, { kind: 'restore', pointId, path: null }, nowMs)
}

/** Starts the machine and answers its task; null when it never will start as it is, and the instance is `failed`. */
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

/** Nobody need look when spare capacity is short: ordinary capacity is tried next. */
function raiseFailedStart({ alarms }: ReconcilePorts, record: InstanceRecord, code: string, error = ''): void {
  if (code === 'capacity' && takesSpareCapacity(record)) return
  const { id: instanceId, userId, generation, imageVersion: image } = record
  alarms.raise('MachineStartFailed', 1, { code, error, instanceId, userId, generation, image })
}

/**
 * A volume eraser that did not get done on the instance's image is followed by one on the stage's: the image may be the
 * reason.
 */
const withImage = ({ settings }: ReconcilePorts, record: InstanceRecord): InstanceRecord =>
  record.state === 'erasing' && record.failedStarts > 0 ? { ...record, imageVersion: settings.imageVersion } : record

/** Saves the task; a machine that nobody wants any more by now is stopped again. */
async function saveTask(deps: ReconcilePorts, record: InstanceRecord, taskArn: string): Promise<void> {
  const saved = await deps.instances.setTask(record.userId, record.generation, taskArn)
  const now = saved ? await deps.instances.find(record.userId) : null
  if (now && (now.state === 'running' || now.state === 'maintenance' || startsMachine(now.state))) return
  await deps.machines.stop(taskArn, 'no longer wanted')
}

/** Instances reconciled at once: the host of machines limits how fast it may be asked. */
const atOnce = 8

/** Instances whose machines are looked at by one call to their host. */
const lookedAtTogether = 100

/** Reconciles every instance whose deadline has passed. @throws AggregateError of what failed */
export async function sweepInstances(deps: ReconcilePorts, nowMs: number): Promise<void> {
  const overdue = await dueInShards((shard) => deps.instances.overdue(shard, nowMs))
  const groups = Array.from({ length: Math.ceil(overdue.length / lookedAtTogether) }, (_, group) =>
    overdue.slice(group * lookedAtTogether, (group + 1) * lookedAtTogether),
  )
  const late: string[] = []
  const reconciled = sweep(groups, 'groups of instances', async (users) => {
    const records = await Promise.all(users.map((userId) => deps.instances.find(userId)))
    late.push(...records.flatMap((record) => (record && isLate(record, nowMs) ? record.userId : [])))
    const machines = await lookedAt(deps, records)
    await sweep(users, 'instances', (userId) => reconcile({ ...deps, machines }, userId, nowMs), atOnce)
  })
  await reconciled.finally(() => reportStuck(deps, late, nowMs))
}

const isLate = ({ deadlineMs }: InstanceRecord, nowMs: number): boolean => isMissed(deadlineMs ?? nowMs, nowMs)

/** Instances that are as late as at the last check have not moved. */
async function reportStuck({ instances, alarms }: ReconcilePorts, late: string[], nowMs: number): Promise<void> {
  const records = await Promise.all(late.map((userId) => instances.find(userId)))
  const stuck = records.flatMap((record) => (record && isLate(record, nowMs) ? record.id : []))
  if (stuck.length > 0) alarms.raise('InstancesStuck', stuck.length, { instances: stuck.slice(0, 10).join(' ') })
}

/** The host of machines, which was just asked about those of these users and need not be asked again. */
async function lookedAt(
  { machines }: ReconcilePorts,
  records: (InstanceRecord | null)[],
): Promise<ReconcilePorts['machines']> {
  const seen = await machines.observeAll(records.flatMap((record) => record?.taskArn ?? []))
  return { ...machines, observe: async (taskArn) => seen.get(taskArn) ?? machines.observe(taskArn) }
}
