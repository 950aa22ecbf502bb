import * as z from 'zod'
import { timestamp } from '../timestamp.ts'
import type { CannotStart } from './cannot-start.ts'
import type { MachineTask } from './machine-tasks.ts'
import type { StoredRun } from './run.ts'

export const shownStates = [
  'provisioning',
  'running',
  'pausing',
  'paused',
  'resuming',
  'refreshing',
  'failed',
  'deleting',
  'deleted',
] as const
export type ShownState = (typeof shownStates)[number]

export const passingStates = ['provisioning', 'pausing', 'resuming', 'refreshing', 'deleting'] as const
type PassingState = (typeof passingStates)[number]

/** A volume worker's work on the files of a sleeping or ending instance is a state of its own. */
export const states = [
  ...shownStates,
  'maintenance-starting',
  'maintenance',
  'maintenance-stopping',
  'erasing',
] as const
export type State = (typeof states)[number]

/** A message wakes an instance `paused` by `user` or `idle`, but not one by `billing`. */
export const reasons = [
  'subscribed',
  'user',
  'idle',
  'billing',
  'volume',
  'message',
  'schedule',
  'refresh',
  'image',
  'crash',
  'host',
  'ready',
  'failure',
] as const
export type Reason = (typeof reasons)[number]

export const instanceFacts = z.object({
  id: z.string().meta({ example: 'ins_01KAHB2N3P4Q5R6S7T8V9WXYZ0' }),
  state: z.enum(shownStates),
  desiredState: z.enum(['running', 'paused', 'deleted']),
  reason: z.enum(reasons),
  model: z.string().meta({ description: 'Default model, as `provider/model`.' }),
  persona: z.string(),
  runtime: z.string().meta({ example: 'reference', description: 'The agent’s program.' }),
  imageVersion: z.string(),
  generation: z.int().min(0),
  createdAt: timestamp,
  since: timestamp.nullable().meta({ description: 'The time since which it has this state; null if unknown.' }),
  startedAt: timestamp.nullable(),
  lastActivityAt: timestamp.nullable(),
  idleStopAt: timestamp.nullable(),
  failure: z.object({ code: z.string(), message: z.string(), recoverable: z.boolean() }).optional(),
})

export const instance = instanceFacts
  .extend({
    usualSeconds: z.int().nullable().meta({
      description:
        'The recent duration of this state; null for a state that lasts until a request, and before the first time.',
    }),
    explanation: z
      .string()
      .meta({ description: 'One sentence: why the machine runs or is paused, and what happens next.' }),
  })
  .meta({ id: 'Instance' })
export type Instance = z.infer<typeof instance>

/** One per user. */
export interface InstanceRecord extends Omit<z.infer<typeof instanceFacts>, 'state'> {
  state: State
  userId: string
  /** Recent durations of passing states, ms. */
  usualMs: Partial<Record<PassingState, number>>
  /** Raised by every write of the life cycle; a write is conditional on the version it read. */
  version: number
  plan: string
  /** The machine of `generation`; null before its start was recorded. */
  taskArn: string | null
  /** The latest machines and volume workers, newest first, by which their logs are found. */
  tasks: MachineTask[]
  /** The last generation that stopped, as did all before it. */
  stoppedGeneration: number
  /** Time of the sweep's next check, ms since 1970; null in a state of rest. */
  deadlineMs: number | null
  /**
   * Crashes without a quiet spell between them, for the restart's backoff; in maintenance, volume workers that ended
   * early.
   */
  crashes: number
  /** Starts in a row that failed for a passing reason. */
  failedStarts: number
  /** Earliest next start, ms since 1970. */
  startAfterMs: number | null
  /** Why the machine started; never a crash. */
  wokenBy: Reason | null
  /** Last time a person asked or was answered, ISO 8601; schedules do not count. Null when never recorded. */
  attendedAt: string | null
  drain: Drain | null
  /** Set while a new image is on trial, for a rollback. */
  previousImage: string | null
  /** The volume before the new image: the rollout waits for it, and a failed trial restores it. */
  preUpgradePoint: PreUpgradePoint | null
  /** ISO 8601; null while the volume fits. */
  overPlanSince: string | null
  /** Null once the agent has started. */
  cannotStart: CannotStart | null
  /** The current run of the agent's machine; read it by `openRun`. */
  run: StoredRun | null
  /** The last run that ended. The write that sets it also adds it to the history. */
  lastRun: StoredRun | null
  volumeErased: boolean
}

/** A requested restore point, and the task that would restore it; `askedMs` is ms since 1970. */
export interface PreUpgradePoint {
  pointId: string
  askedMs: number
  taskId: string
}

/** True while a volume worker restores the volume after a failed image. */
export const isRollingBack = (record: Pick<InstanceRecord, 'state' | 'preUpgradePoint' | 'previousImage'>): boolean =>
  isInMaintenance(record) && record.preUpgradePoint !== null && record.previousImage === null

/** True while a volume worker replaces the agent's machine, or is about to. */
export const isInMaintenance = ({ state }: Pick<InstanceRecord, 'state'>): boolean =>
  state === 'maintenance-starting' || state === 'maintenance' || state === 'maintenance-stopping'

/** Also true while a volume worker works on a sleeping instance's files. */
export const isAsleep = (record: Pick<InstanceRecord, 'state' | 'desiredState'>): boolean =>
  record.state === 'paused' ||
  record.state === 'pausing' ||
  (isInMaintenance(record) && record.desiredState === 'paused')

export const isEnding = ({ state }: Pick<InstanceRecord, 'state'>): boolean =>
  state === 'deleting' || state === 'erasing' || state === 'deleted'

export function shownState(record: Pick<InstanceRecord, 'state' | 'desiredState'>): ShownState {
  const { state } = record
  if (state === 'maintenance-starting' || state === 'maintenance' || state === 'maintenance-stopping')
    return record.desiredState === 'running' ? 'resuming' : 'paused'
  return state === 'erasing' ? 'deleting' : state
}

type Generation = Pick<InstanceRecord, 'state' | 'generation'>

/** The generation whose machine tokens are valid; 0 when none. Every machine call's condition compares it. */
export const liveGeneration = (record: Generation): number =>
  record.state === 'paused' || record.state === 'failed' || record.state === 'deleting' || record.state === 'deleted'
    ? 0
    : record.generation

/** The generation that may spend the wallet's money; 0 when none. A volume worker never spends. */
export const spendingGeneration = (record: Generation): number =>
  isInMaintenance(record) || record.state === 'erasing' ? 0 : liveGeneration(record)

/** The task of this id asks the machine. */
interface Drain {
  askedMs: number
  taskId: string
}
