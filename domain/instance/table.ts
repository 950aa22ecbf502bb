import { minuteMs } from '../time.ts'
import type { State } from './instance.ts'

/** What can be asked of an instance, and what can be seen of its machine. */
export type Verb =
  | 'pause'
  | 'resume'
  | 'wake'
  | 'refresh'
  | 'delete'
  | 'suspend'
  | 'keep'
  | 'machine-running'
  | 'machine-stopped'
  | 'start-failed'
  | 'overdue'
  | 'sleep'
  | 'roll'
  | 'removed'

export type Target = State | 'same' | 'later' | 'conflict'

/** What each row begins with: nothing changes. */
const same = {
  pause: 'same',
  resume: 'same',
  wake: 'same',
  refresh: 'same',
  delete: 'same',
  suspend: 'same',
  keep: 'same',
  'machine-running': 'same',
  'machine-stopped': 'same',
  'start-failed': 'same',
  overdue: 'same',
  sleep: 'same',
  roll: 'same',
  removed: 'same',
} as const satisfies Record<Verb, 'same'>

/** On its way out nothing is asked of it any more. */
const ending = { ...same, pause: 'conflict', resume: 'conflict', refresh: 'conflict', keep: 'conflict' } as const

/**
 * The life cycle as a table: state × verb → next state. `same` answers "done already", `conflict` is a 409, and
 * `later` stays but notes what is wanted once this machine is gone (a message that comes while pausing).
 * A machine that stops while it should run is started again under the next generation; one that dies on a new image whose
 * volume was kept before goes by way of `opening`. `suspend` is billing's pause: it contradicts nothing, because a
 * machine nobody pays for must stop. `overdue` of `running` is a look at its machine. `sleep` is the idle stop, `roll` the
 * refresh that brings a new image.
 *
 * `keep` opens a keeper: a machine without the agent, for the files of an instance that sleeps. It starts (`opening`),
 * works (`keeping`) and, when something else is wanted or its time is up, is stopped (`closing`); its owner sees `paused`,
 * or `resuming` once the agent is wanted. `deleting` waits for the machine's end, `erasing` for a last keeper to
 * empty the volume and for everything that was made for it to be `removed`; its owner sees `deleting`.
 */
export const table = {
  provisioning: {
    ...same,
    pause: 'conflict',
    refresh: 'conflict',
    delete: 'deleting',
    suspend: 'pausing',
    'machine-running': 'running',
    'machine-stopped': 'provisioning',
    'start-failed': 'failed',
    overdue: 'provisioning',
  },
  running: {
    ...same,
    pause: 'pausing',
    refresh: 'refreshing',
    delete: 'deleting',
    suspend: 'pausing',
    'machine-stopped': 'resuming',
    overdue: 'running',
    sleep: 'pausing',
    roll: 'refreshing',
  },
  pausing: {
    ...same,
    resume: 'conflict',
    wake: 'later',
    refresh: 'conflict',
    delete: 'deleting',
    suspend: 'pausing',
    'machine-stopped': 'paused',
    overdue: 'pausing',
  },
  paused: {
    ...same,
    resume: 'resuming',
    wake: 'resuming',
    refresh: 'conflict',
    delete: 'deleting',
    suspend: 'paused',
    keep: 'opening',
  },
  resuming: {
    ...same,
    pause: 'conflict',
    refresh: 'conflict',
    delete: 'deleting',
    suspend: 'pausing',
    'machine-running': 'running',
    'machine-stopped': 'resuming',
    'start-failed': 'failed',
    overdue: 'resuming',
  },
  refreshing: {
    ...same,
    pause: 'conflict',
    resume: 'conflict',
    delete: 'deleting',
    suspend: 'pausing',
    'machine-stopped': 'resuming',
    overdue: 'refreshing',
  },
  failed: {
    ...same,
    pause: 'conflict',
    resume: 'resuming',
    refresh: 'resuming',
    delete: 'deleting',
    suspend: 'paused',
    keep: 'conflict',
  },
  opening: {
    ...same,
    pause: 'later',
    resume: 'closing',
    wake: 'closing',
    refresh: 'conflict',
    delete: 'deleting',
    suspend: 'closing',
    'machine-running': 'keeping',
    'machine-stopped': 'paused',
    'start-failed': 'paused',
    overdue: 'opening',
  },
  keeping: {
    ...same,
    pause: 'later',
    resume: 'closing',
    wake: 'closing',
    refresh: 'conflict',
    delete: 'deleting',
    suspend: 'closing',
    'machine-stopped': 'paused',
    overdue: 'closing',
  },
  closing: {
    ...same,
    pause: 'later',
    resume: 'later',
    wake: 'later',
    refresh: 'conflict',
    delete: 'deleting',
    suspend: 'closing',
    'machine-stopped': 'paused',
    overdue: 'closing',
  },
  deleting: { ...ending, 'machine-stopped': 'erasing', overdue: 'deleting' },
  erasing: {
    ...ending,
    'machine-stopped': 'erasing',
    'start-failed': 'erasing',
    overdue: 'erasing',
    removed: 'deleted',
  },
  deleted: ending,
} as const satisfies Record<State, Record<Verb, Target>>

/** What the driver does next; every step may be repeated without harm. */
export type Step = 'run' | 'stop' | 'look' | 'remove' | 'none'

/** What the driver does on entering a state. */
export const stepOf = {
  provisioning: 'run',
  resuming: 'run',
  opening: 'run',
  erasing: 'run',
  running: 'none',
  keeping: 'none',
  pausing: 'stop',
  refreshing: 'stop',
  closing: 'stop',
  deleting: 'stop',
  paused: 'none',
  failed: 'none',
  deleted: 'none',
} as const satisfies Record<State, Step>

/**
 * How long a state may last before the sweep looks at it again, ms; null is a state of rest. A running machine is
 * looked at in case the event that it stopped was lost. A keeper has half an hour for all it is asked, an eraser's
 * successor goes on where its time was up.
 */
export const deadlineOf = {
  provisioning: 5 * minuteMs,
  resuming: 5 * minuteMs,
  opening: 5 * minuteMs,
  pausing: 3 * minuteMs,
  refreshing: 3 * minuteMs,
  closing: 3 * minuteMs,
  deleting: 3 * minuteMs,
  keeping: 30 * minuteMs,
  erasing: 15 * minuteMs,
  running: 15 * minuteMs,
  paused: null,
  failed: null,
  deleted: null,
} as const satisfies Record<State, number | null>
