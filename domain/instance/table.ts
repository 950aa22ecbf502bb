import type { State } from './instance.ts'

/** What can be asked of an instance, and what can be seen of its machine. */
export type Verb =
  | 'pause'
  | 'resume'
  | 'wake'
  | 'refresh'
  | 'delete'
  | 'suspend'
  | 'machine-running'
  | 'machine-stopped'
  | 'start-failed'
  | 'overdue'
  | 'sleep'
  | 'roll'
  | 'removed'

export type Target = State | 'same' | 'later' | 'conflict'

/**
 * The life cycle as a table: state × verb → next state. `same` answers "done already", `conflict` is a 409, and
 * `later` stays but notes that a machine is wanted once this one is gone (a message that comes while pausing).
 * A machine that stops while it should run is started again under the next generation. `suspend` is billing's pause:
 * it contradicts nothing, because a machine nobody pays for must stop. `overdue` of `running` is a look at its machine.
 * `sleep` is the idle stop, `roll` the refresh that brings a new image. `deleting` waits for the machine's end and then for
 * everything that was made for it to be `removed`.
 */
export const table = {
  provisioning: {
    pause: 'conflict',
    resume: 'same',
    wake: 'same',
    refresh: 'conflict',
    delete: 'deleting',
    suspend: 'pausing',
    'machine-running': 'running',
    'machine-stopped': 'provisioning',
    'start-failed': 'failed',
    overdue: 'provisioning',
    sleep: 'same',
    roll: 'same',
    removed: 'same',
  },
  running: {
    pause: 'pausing',
    resume: 'same',
    wake: 'same',
    refresh: 'refreshing',
    delete: 'deleting',
    suspend: 'pausing',
    'machine-running': 'same',
    'machine-stopped': 'resuming',
    'start-failed': 'same',
    overdue: 'running',
    sleep: 'pausing',
    roll: 'refreshing',
    removed: 'same',
  },
  pausing: {
    pause: 'same',
    resume: 'conflict',
    wake: 'later',
    refresh: 'conflict',
    delete: 'deleting',
    suspend: 'pausing',
    'machine-running': 'same',
    'machine-stopped': 'paused',
    'start-failed': 'same',
    overdue: 'pausing',
    sleep: 'same',
    roll: 'same',
    removed: 'same',
  },
  paused: {
    pause: 'same',
    resume: 'resuming',
    wake: 'resuming',
    refresh: 'conflict',
    delete: 'deleting',
    suspend: 'paused',
    'machine-running': 'same',
    'machine-stopped': 'same',
    'start-failed': 'same',
    overdue: 'same',
    sleep: 'same',
    roll: 'same',
    removed: 'same',
  },
  resuming: {
    pause: 'conflict',
    resume: 'same',
    wake: 'same',
    refresh: 'conflict',
    delete: 'deleting',
    suspend: 'pausing',
    'machine-running': 'running',
    'machine-stopped': 'resuming',
    'start-failed': 'failed',
    overdue: 'resuming',
    sleep: 'same',
    roll: 'same',
    removed: 'same',
  },
  refreshing: {
    pause: 'conflict',
    resume: 'conflict',
    wake: 'same',
    refresh: 'same',
    delete: 'deleting',
    suspend: 'pausing',
    'machine-running': 'same',
    'machine-stopped': 'resuming',
    'start-failed': 'same',
    overdue: 'refreshing',
    sleep: 'same',
    roll: 'same',
    removed: 'same',
  },
  failed: {
    pause: 'conflict',
    resume: 'resuming',
    wake: 'same',
    refresh: 'resuming',
    delete: 'deleting',
    suspend: 'paused',
    'machine-running': 'same',
    'machine-stopped': 'same',
    'start-failed': 'same',
    overdue: 'same',
    sleep: 'same',
    roll: 'same',
    removed: 'same',
  },
  deleting: {
    pause: 'conflict',
    resume: 'conflict',
    wake: 'same',
    refresh: 'conflict',
    delete: 'same',
    suspend: 'same',
    'machine-running': 'same',
    'machine-stopped': 'same',
    'start-failed': 'same',
    overdue: 'deleting',
    sleep: 'same',
    roll: 'same',
    removed: 'deleted',
  },
  deleted: {
    pause: 'conflict',
    resume: 'conflict',
    wake: 'same',
    refresh: 'conflict',
    delete: 'same',
    suspend: 'same',
    'machine-running': 'same',
    'machine-stopped': 'same',
    'start-failed': 'same',
    overdue: 'same',
    sleep: 'same',
    roll: 'same',
    removed: 'same',
  },
} as const satisfies Record<State, Record<Verb, Target>>
