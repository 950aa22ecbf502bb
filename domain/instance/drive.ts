import type { Basics, Ports } from '../ports.ts'
import { recordChange } from './change.ts'
import { mayBeMissedSince } from './idle.ts'
import { type Before, goesBack, type InstanceRecord, isKept, type Reason, shownState } from './instance.ts'
import { environmentOf, forgetFiles, giveUp, keeperFor } from './keep.ts'
import { postponed, startFailed, startsMachine, type Transition, transition } from './life-cycle.ts'
import { type LookPorts, lookAfter } from './look.ts'
import { failureOf, MachineError, type MachineTrouble } from './machine.ts'
import type { MachineSight } from './ports.ts'
import { reconcile } from './reconcile.ts'
import { reverted } from './upgrade.ts'

export type DrivePorts = LookPorts & Pick<Ports, 'machineTokens' | 'remains'> & Pick<Basics, 'clock'>

/** The ports that driving takes, as an area's reactions name them. */
export const driveUses = [
  'conversations',
  'events',
  'instances',
  'machines',
  'machineTokens',
  'remains',
  'restorePoints',
  'rollouts',
  'tasks',
] as const

/** What an event says of one machine. */
export interface Sighting {
  generation: number
  taskArn: string
  seen: 'running' | 'stopped'
  /** Why it stopped: `crash`, or `host` for no fault of its own. */
  why: Reason
  /** What was in the way of its start, if its host says so. */
  trouble?: MachineTrouble | null
}

/** Writes that may lose to another one before the next event or sweep has to go on. */
const attempts = 5

/**
 * Reads an instance, sees its machine, decides, writes and acts. Every step may be repeated, and two at once do no more
 * than one. Never two machines on one volume: only a machine that is seen stopped makes room for the next generation.
 */
export async function drive(deps: DrivePorts, userId: string, nowMs: number, sighting?: Sighting): Promise<void> {
  for (let attempt = 0; attempt < attempts; attempt++) {
    const record = await deps.instances.find(userId)
    if (!record) return
    if (sighting && !isOwn(sighting, record) && sighting.seen === 'running') {
      return deps.machines.stop(sighting.taskArn, 'another machine has its volume')
    }
    const sight = sighting && isOwn(sighting, record) ? sighting : await look(deps, record)
    const known = { ...record, taskArn: sight.taskArn }
    const { next, step, changed } = await decide(deps, known, sight, nowMs)
    if (step === 'look') return lookAfter(deps, known, nowMs)
    if (step === 'remove') return remove(deps, known, record, nowMs)
    if (step === 'run' && next.state === 'erasing' && (await isBare(deps, next))) return bare(deps, next, record, nowMs)
    if (changed && !(await deps.instances.save(next, record))) continue
    if (changed && shownState(next) !== shownState(record)) await recordChange(deps, next)
    if (wentBack(known, next)) await reverted(deps, known, next)
    if (step === 'run') return start(deps, next, nowMs)
    if (step === 'stop' && sight.taskArn) await deps.machines.stop(sight.taskArn, `${next.state}: ${next.reason}`)
    return
  }
}

type Sight = Pick<Sighting, 'why' | 'trouble'> & { taskArn: string | null; seen: MachineSight }

/** What becomes of the instance, with what only the stores know: a prompt that came while it fell asleep, a task that waits. */
async function decide(deps: DrivePorts, known: InstanceRecord, sight: Sight, nowMs: number): Promise<Transition> {
  // An image that never ran has changed nothing on the volume.
  const first = reconcile(sight.trouble ? { ...known, before: null } : known, sight.seen, nowMs, sight.why)
  if (first.changed && first.next.state === 'paused' && first.next.reason === 'idle') {
    const missed = await deps.conversations.openSince(known.userId, mayBeMissedSince(known))
    if (missed) return reconcile({ ...known, desiredState: 'running', reason: 'message' }, sight.seen, nowMs, sight.why)
  }
  const decided = await keeperFor(deps, known, first, nowMs)
  const { next } = decided
  if (!sight.trouble || (next.reason !== 'crash' && next.reason !== 'failure')) return decided
  return { ...decided, next: { ...next, failure: failureOf(sight.trouble, true) } }
}

/** True when an image that was on trial has been given up. */
const wentBack = (before: InstanceRecord, after: InstanceRecord): boolean =>
  before.previousImage !== null && after.previousImage === null && after.imageVersion === before.previousImage

/** An eraser that could not start must not keep an instance that never had a machine: nothing was ever written. */
const isBare = async ({ machines }: DrivePorts, record: InstanceRecord): Promise<boolean> =>
  !record.emptied && !(await machines.hasVolume(record))

async function bare(deps: DrivePorts, next: InstanceRecord, record: InstanceRecord, nowMs: number): Promise<void> {
  const emptied = { ...next, emptied: true, deadlineMs: nowMs, version: record.version + 1 }
  if (await deps.instances.save(emptied, record)) await drive(deps, record.userId, nowMs)
}

/** The end of a deletion: nothing is left that could write to the volume, and what was kept of it goes too. */
async function remove(deps: DrivePorts, known: InstanceRecord, record: InstanceRecord, nowMs: number): Promise<void> {
  const left = await deps.machines.alive(known)
  if (left.length > 0) {
    await Promise.all(left.map(({ taskArn }) => deps.machines.stop(taskArn, 'deleted')))
    return
  }
  if (!(await forgetFiles(deps, known, nowMs))) {
    await deps.instances.save(postponed(record, nowMs), record)
    return
  }
  await deps.machines.remove(known)
  const { next } = transition(known, 'removed', known.reason, nowMs)
  if (await deps.instances.save(next, record)) await recordChange(deps, next)
}

const isOwn = (sighting: Sighting, { generation, taskArn }: InstanceRecord): boolean =>
  sighting.generation === generation && (taskArn === null || taskArn === sighting.taskArn)

/** The machine of the record's generation, also one whose task nobody came to note. */
async function look(deps: DrivePorts, record: InstanceRecord): Promise<Sight> {
  if (record.taskArn === null && startsMachine(record.state)) return { taskArn: null, seen: 'missing', why: 'host' }
  const taskArn = record.taskArn ?? (await ownTask(deps, record))
  return { taskArn, seen: taskArn ? await deps.machines.observe(taskArn) : 'missing', why: 'crash' }
}

const ownTask = async (deps: DrivePorts, record: InstanceRecord): Promise<string | null> =>
  (await deps.machines.alive(record)).find(({ generation }) => generation === record.generation)?.taskArn ?? null

async function start(deps: DrivePorts, record: InstanceRecord, nowMs: number): Promise<void> {
  const alive = await deps.machines.alive(record)
  const older = alive.filter(({ generation }) => generation !== record.generation)
  if (older.length > 0) {
    await Promise.all(older.map(({ taskArn }) => deps.machines.stop(taskArn, 'another machine has its volume')))
    await deps.instances.save(postponed(record, nowMs), record)
    return
  }
  const own = alive.find(({ generation }) => generation === record.generation)
  if (!own && record.before && goesBack(record)) await askBack(deps, record, record.before, nowMs)
  const taskArn = own?.taskArn ?? (await run(deps, record, nowMs))
  if (taskArn) await note(deps, record, taskArn)
}

/** What the keeper of an instance that goes back is there for; asking again asks once. */
const askBack = (deps: DrivePorts, { userId }: InstanceRecord, { taskId, pointId }: Before, nowMs: number) =>
  deps.tasks.ask(userId, taskId, { kind: 'restore', pointId, path: null }, nowMs)

/** Starts the machine and answers its task; null when it never will start as it is, and the instance is `failed`. */
async function run(deps: DrivePorts, record: InstanceRecord, nowMs: number): Promise<string | null> {
  try {
    return await deps.machines.run(withImage(deps, record), await environmentOf(deps, record))
  } catch (error) {
    if (!(error instanceof MachineError)) {
      await deps.instances.save(postponed(record, nowMs), record)
      throw error
    }
    const { next, changed } = startFailed(record, failureOf(error.code, error.recoverable), nowMs)
    if (!changed || !(await deps.instances.save(next, record))) return null
    await recordChange(deps, next)
    if (wentBack(record, next)) await reverted(deps, record, next)
    if (isKept(record) && !isKept(next)) await giveUp(deps, record.userId, nowMs)
    return null
  }
}

/** An eraser that did not get done on the instance's image is followed by one on the stage's: the image may be the reason. */
const withImage = ({ settings }: DrivePorts, record: InstanceRecord): InstanceRecord =>
  record.state === 'erasing' && record.failedStarts > 0 ? { ...record, imageVersion: settings.imageVersion } : record

/** Notes the task; a machine that nobody wants any more by now is stopped again. */
async function note(deps: DrivePorts, record: InstanceRecord, taskArn: string): Promise<void> {
  const noted = await deps.instances.setTask(record.userId, record.generation, taskArn)
  const now = noted ? await deps.instances.find(record.userId) : null
  if (now && (now.state === 'running' || now.state === 'keeping' || startsMachine(now.state))) return
  await deps.machines.stop(taskArn, 'no longer wanted')
}
