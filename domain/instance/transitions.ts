import type { State } from './instance.ts'

const same = {
  pause: 'same',
  resume: 'same',
  wake: 'same',
  refresh: 'same',
  delete: 'same',
  suspend: 'same',
  maintain: 'same',
  'machine-running': 'same',
  'machine-stopped': 'same',
  'start-failed': 'same',
  overdue: 'same',
  sleep: 'same',
  roll: 'same',
  removed: 'same',
} as const

export type InstanceEvent = keyof typeof same

export type Target = State | 'same' | 'later' | 'conflict'

const deletable = { ...same, delete: 'deleting' } as const

const starting = {
  ...deletable,
  pause: 'conflict',
  refresh: 'conflict',
  suspend: 'pausing',
  'machine-running': 'running',
  'start-failed': 'failed',
} as const

const inMaintenance = {
  ...deletable,
  pause: 'later',
  resume: 'maintenance-stopping',
  wake: 'maintenance-stopping',
  refresh: 'conflict',
  suspend: 'maintenance-stopping',
  'machine-stopped': 'paused',
  overdue: 'maintenance-stopping',
} as const

const ending = { ...same, pause: 'conflict', resume: 'conflict', refresh: 'conflict', maintain: 'conflict' } as const

/**
 * State × event → next state. `same`: already done. `conflict`: a 409. `later`: waits for this machine's end, such as a
 * message while pausing, or a user's pause of a sleeping instance. A machine that stops while it should run starts
 * again under the next generation; one that dies on a new image first restores its volume by `maintenance-starting`, if
 * there is a point. `suspend`, billing's pause, never conflicts, because an unpaid machine must stop. `overdue` of
 * `running` checks the machine. `sleep` is the idle stop; `roll` is the refresh to a new image.
 *
 * `maintain` starts a volume worker: a machine without the agent, for the files of a sleeping instance. It starts
 * (`maintenance-starting`), works (`maintenance`) and is stopped (`maintenance-stopping`) when something else is
 * requested or its time ends. The owner sees `paused`, or `resuming` once the agent is requested. `deleting` waits for
 * the machine's end; `erasing` waits for an empty volume and the removal of everything else. The owner sees `deleting`
 * for both.
 */
export const transitions = {
  provisioning: { ...starting, 'machine-stopped': 'provisioning', overdue: 'provisioning' },
  running: {
    ...deletable,
    pause: 'pausing',
    refresh: 'refreshing',
    suspend: 'pausing',
    'machine-stopped': 'resuming',
    overdue: 'running',
    sleep: 'pausing',
    roll: 'refreshing',
  },
  pausing: {
    ...deletable,
    pause: 'later',
    resume: 'conflict',
    wake: 'later',
    refresh: 'conflict',
    suspend: 'pausing',
    'machine-stopped': 'paused',
    overdue: 'pausing',
  },
  paused: {
    ...deletable,
    pause: 'later',
    resume: 'resuming',
    wake: 'resuming',
    refresh: 'conflict',
    suspend: 'paused',
    maintain: 'maintenance-starting',
  },
  resuming: { ...starting, 'machine-stopped': 'resuming', overdue: 'resuming' },
  refreshing: {
    ...deletable,
    pause: 'conflict',
    resume: 'conflict',
    suspend: 'pausing',
    'machine-stopped': 'resuming',
    overdue: 'refreshing',
  },
  failed: {
    ...deletable,
    pause: 'conflict',
    resume: 'resuming',
    refresh: 'resuming',
    suspend: 'paused',
    maintain: 'conflict',
  },
  'maintenance-starting': {
    ...inMaintenance,
    'machine-running': 'maintenance',
    'start-failed': 'paused',
    overdue: 'maintenance-starting',
  },
  maintenance: inMaintenance,
  'maintenance-stopping': { ...inMaintenance, resume: 'later', wake: 'later' },
  deleting: { ...ending, 'machine-stopped': 'erasing', overdue: 'deleting' },
  erasing: {
    ...ending,
    'machine-stopped': 'erasing',
    'start-failed': 'erasing',
    overdue: 'erasing',
    removed: 'deleted',
  },
  deleted: ending,
} as const satisfies Record<State, Record<InstanceEvent, Target>>

/** Every step may be repeated without harm. */
export type Step = 'run' | 'stop' | 'check' | 'remove' | 'none'

export const stepOf = {
  provisioning: 'run',
  resuming: 'run',
  'maintenance-starting': 'run',
  erasing: 'run',
  running: 'none',
  maintenance: 'none',
  pausing: 'stop',
  refreshing: 'stop',
  'maintenance-stopping': 'stop',
  deleting: 'stop',
  paused: 'none',
  failed: 'none',
  deleted: 'none',
} as const satisfies Record<State, Step>
