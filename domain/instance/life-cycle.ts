import { conflict } from '../errors.ts'
import { iso, minuteMs, secondMs } from '../time.ts'
import type { InstanceRecord, Reason, State } from './instance.ts'

/** What can be asked of an instance, and what can be seen of its machine. */
export type Verb =
  | 'pause'
  | 'resume'
  | 'wake'
  | 'refresh'
  | 'delete'
  | 'machine-running'
  | 'machine-stopped'
  | 'overdue'

/** What the driver does next; every step may be repeated without harm. */
export type Step = 'run' | 'stop' | 'none'

type Target = State | 'same' | 'later' | 'conflict'

/**
 * The life cycle as a table: state × verb → next state. `same` answers "done already", `conflict` is a 409, and
 * `later` stays but notes that a machine is wanted once this one is gone (a message that comes while pausing).
 * A machine that stops while it should run is started again under the next generation.
 */
export const table = {
  provisioning: {
    pause: 'conflict',
    resume: 'same',
    wake: 'same',
    refresh: 'conflict',
    delete: 'deleting',
    'machine-running': 'running',
    'machine-stopped': 'provisioning',
    overdue: 'provisioning',
  },
  running: {
    pause: 'pausing',
    resume: 'same',
    wake: 'same',
    refresh: 'refreshing',
    delete: 'deleting',
    'machine-running': 'same',
    'machine-stopped': 'resuming',
    overdue: 'same',
  },
  pausing: {
    pause: 'same',
    resume: 'conflict',
    wake: 'later',
    refresh: 'conflict',
    delete: 'deleting',
    'machine-running': 'same',
    'machine-stopped': 'paused',
    overdue: 'pausing',
  },
  paused: {
    pause: 'same',
    resume: 'resuming',
    wake: 'resuming',
    refresh: 'conflict',
    delete: 'deleting',
    'machine-running': 'same',
    'machine-stopped': 'same',
    overdue: 'same',
  },
  resuming: {
    pause: 'conflict',
    resume: 'same',
    wake: 'same',
    refresh: 'conflict',
    delete: 'deleting',
    'machine-running': 'running',
    'machine-stopped': 'resuming',
    overdue: 'resuming',
  },
  refreshing: {
    pause: 'conflict',
    resume: 'conflict',
    wake: 'same',
    refresh: 'same',
    delete: 'deleting',
    'machine-running': 'same',
    'machine-stopped': 'resuming',
    overdue: 'refreshing',
  },
  failed: {
    pause: 'conflict',
    resume: 'resuming',
    wake: 'same',
    refresh: 'resuming',
    delete: 'deleting',
    'machine-running': 'same',
    'machine-stopped': 'same',
    overdue: 'same',
  },
  deleting: {
    pause: 'conflict',
    resume: 'conflict',
    wake: 'same',
    refresh: 'conflict',
    delete: 'same',
    'machine-running': 'same',
    'machine-stopped': 'deleted',
    overdue: 'deleting',
  },
  deleted: {
    pause: 'conflict',
    resume: 'conflict',
    wake: 'same',
    refresh: 'conflict',
    delete: 'same',
    'machine-running': 'same',
    'machine-stopped': 'same',
    overdue: 'same',
  },
} as const satisfies Record<State, Record<Verb, Target>>

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

/** How long a transient state may last before the sweep acts again, ms; null is a state of rest. */
const deadlineOf = {
  provisioning: 5 * minuteMs,
  resuming: 5 * minuteMs,
  pausing: 3 * minuteMs,
  refreshing: 3 * minuteMs,
  deleting: 3 * minuteMs,
  running: null,
  paused: null,
  failed: null,
  deleted: null,
} as const satisfies Record<State, number | null>

/** A machine that died this many times in a row is left alone as `failed`. */
export const maxCrashes = 5

/** Wait before the n-th restart in a row, ms: 0, 2 s, 4 s, 8 s … */
export const backoffMs = (crashes: number): number => (crashes <= 1 ? 0 : Math.min(2 ** (crashes - 1), 60) * secondMs)

export interface Transition {
  next: InstanceRecord
  step: Step
  changed: boolean
}

/** True for states whose machine starts afresh: entering them raises the generation and kills the older tokens. */
const startsMachine = (to: State) => to === 'resuming' || to === 'provisioning'

/**
 * One step of the life cycle, decided from the record alone.
 * @throws conflict when the verb contradicts the transition under way
 */
export function transition(record: InstanceRecord, verb: Verb, reason: Reason, nowMs: number): Transition {
  const target: Target = table[record.state][verb]
  if (target === 'conflict') {
    throw conflict(
      `The instance is ${record.state}; it cannot ${verb} now. Read /instance/status and try again when it has settled.`,
    )
  }
  if (target === 'same') return { next: record, step: 'none', changed: false }
  if (target === 'later') return wantLater(record)
  const crashed = verb === 'machine-stopped' && startsMachine(target) && record.state !== 'refreshing'
  const crashes = crashed ? record.crashes + 1 : verb === 'resume' || verb === 'refresh' ? 0 : record.crashes
  if (crashed && crashes > maxCrashes) return enter(failed(record), 'failed', 'failure', nowMs, 0)
  const to = target === 'paused' && record.desiredState === 'running' ? 'resuming' : target
  const retry = to === record.state && verb === 'overdue'
  const next: InstanceRecord = {
    ...record,
    crashes: verb === 'machine-running' ? record.crashes : crashes,
    desiredState:
      verb === 'pause'
        ? 'paused'
        : verb === 'delete'
          ? 'deleted'
          : verb === 'resume' || verb === 'refresh'
            ? 'running'
            : record.desiredState,
    generation: startsMachine(to) && !retry ? record.generation + 1 : record.generation,
    taskArn: startsMachine(to) && !retry ? null : record.taskArn,
    startedAt: to === 'running' ? iso(nowMs) : record.startedAt,
  }
  delete next.failure
  return enter(next, to, crashed ? 'crash' : reason, nowMs, crashed ? backoffMs(crashes) : 0)
}

function wantLater(record: InstanceRecord): Transition {
  if (record.desiredState === 'running') return { next: record, step: 'none', changed: false }
  return { next: { ...record, desiredState: 'running', version: record.version + 1 }, step: 'none', changed: true }
}

function enter(record: InstanceRecord, to: State, reason: Reason, nowMs: number, waitMs: number): Transition {
  const limit = deadlineOf[to]
  const deadlineMs = waitMs > 0 ? nowMs + waitMs : limit === null ? null : nowMs + limit
  const next = { ...record, state: to, reason, deadlineMs, version: record.version + 1 }
  return { next, step: waitMs > 0 ? 'none' : stepOf[to], changed: true }
}

const failed = (record: InstanceRecord): InstanceRecord => ({
  ...record,
  failure: {
    code: 'crash-loop',
    message: 'The agent stopped several times in a row. Read its logs, then resume the instance.',
    recoverable: true,
  },
})

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
