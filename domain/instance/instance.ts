import * as z from 'zod'
import { timestamp } from '../timestamp.ts'
import type { CannotStart } from './cannot-start.ts'

/** The states that the owner sees. */
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

/** States that change by themselves. */
export const passingStates = ['provisioning', 'pausing', 'resuming', 'refreshing', 'deleting'] as const
export type PassingState = (typeof passingStates)[number]

/**
 * The stored state: the work of a volume worker on the files of a sleeping or ending instance is a state of its own.
 */
export const states = [
  ...shownStates,
  'maintenance-starting',
  'maintenance',
  'maintenance-stopping',
  'erasing',
] as const
export type State = (typeof states)[number]

/** Why the instance is in its state; `paused` by `user` or `idle` is woken by a message, by `billing` it is not. */
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

/** The fields that are both stored and shown. */
export const instanceFacts = z.object({
  id: z.string().meta({ example: 'ins_01KAHB2N3P4Q5R6S7T8V9WXYZ0' }),
  state: z.enum(shownStates),
  desiredState: z.enum(['running', 'paused', 'deleted']),
  reason: z.enum(reasons),
  model: z.string().meta({ description: 'Default model, as `provider/model`.' }),
  persona: z.string(),
  runtime: z.string().meta({ example: 'reference', description: 'The program that is the agent.' }),
  imageVersion: z.string(),
  generation: z.int().min(0),
  createdAt: timestamp,
  since: timestamp.nullable().meta({ description: 'Since when it is in its state; null when that was not noted.' }),
  startedAt: timestamp.nullable(),
  lastActivityAt: timestamp.nullable(),
  idleStopAt: timestamp.nullable(),
  failure: z.object({ code: z.string(), message: z.string(), recoverable: z.boolean() }).optional(),
})

export const instance = instanceFacts
  .extend({
    usualSeconds: z.int().nullable().meta({
      description:
        'How long this state lasted of late; null for one that lasts until somebody asks, and before the first time.',
    }),
    explanation: z.string().meta({ description: 'One sentence: why it is awake or asleep, and what comes next.' }),
  })
  .meta({ id: 'Instance' })
export type Instance = z.infer<typeof instance>

/** The instance as stored, one per user. */
export interface InstanceRecord extends Omit<z.infer<typeof instanceFacts>, 'state'> {
  state: State
  userId: string
  /** How long the states that pass by themselves lasted of late, ms. */
  usualMs: Partial<Record<PassingState, number>>
  /** Raised by every write of the life cycle; a write is conditional on the version it read. */
  version: number
  plan: string
  /** The machine that was started for `generation`, when there is record. */
  taskArn: string | null
  /** The last generation whose machine, and with it every machine before, was seen to have stopped. */
  stoppedGeneration: number
  /** When the sweep checks the present state again, ms since 1970; null in a state of rest. */
  deadlineMs: number | null
  /**
   * Machines that died one after another without a quiet spell; sets the restart's backoff. The kind of a volume
   * worker: one per queue.
   */
  crashes: number
  /** Starts that failed one after another for a passing reason. */
  failedStarts: number
  /** Before this no start is tried again, ms since 1970. */
  startAfterMs: number | null
  /** The machine's trigger, except crashes. */
  wokenBy: Reason | null
  /**
   * When a person last asked or was answered, ISO 8601; what schedules do does not move it. Null when that was never
   * noted.
   */
  attendedAt: string | null
  /** Whether the machine was asked to sleep. */
  drain: Drain | null
  /** The image to go back to while a new one is on trial. */
  previousImage: string | null
  /** The volume as it was before the new image: asked for while that waits, gone back to if it dies on its trial. */
  preUpgradePoint: PreUpgradePoint | null
  /** When the owner was notified that the volume exceeds the plan, ISO 8601; null while it fits. */
  overPlanSince: string | null
  /** A generation's report of an agent that fails to start; null once it has started. */
  cannotStart: CannotStart | null
  /** Whether the volume of an instance that is deleted has been emptied. */
  volumeErased: boolean
}

/** A restore point that was asked for, when (ms since 1970), and the task that would bring it back. */
export interface PreUpgradePoint {
  pointId: string
  askedMs: number
  taskId: string
}

/** True while the volume is brought back to what it was before a new image that did not live. */
export const isRollingBack = (record: Pick<InstanceRecord, 'state' | 'preUpgradePoint' | 'previousImage'>): boolean =>
  isInMaintenance(record) && record.preUpgradePoint !== null && record.previousImage === null

/** True while a volume worker is there, or comes, instead of the agent's machine. */
export const isInMaintenance = ({ state }: Pick<InstanceRecord, 'state'>): boolean =>
  state === 'maintenance-starting' || state === 'maintenance' || state === 'maintenance-stopping'

/** True for an instance that sleeps or is about to, whether a volume worker works on its files or not. */
export const isAsleep = (record: Pick<InstanceRecord, 'state' | 'desiredState'>): boolean =>
  record.state === 'paused' ||
  record.state === 'pausing' ||
  (isInMaintenance(record) && record.desiredState === 'paused')

/** True from the moment its end was asked for. */
export const isEnding = ({ state }: Pick<InstanceRecord, 'state'>): boolean =>
  state === 'deleting' || state === 'erasing' || state === 'deleted'

export function shownState(record: Pick<InstanceRecord, 'state' | 'desiredState'>): ShownState {
  const { state } = record
  if (state === 'maintenance-starting' || state === 'maintenance' || state === 'maintenance-stopping')
    return record.desiredState === 'running' ? 'resuming' : 'paused'
  return state === 'erasing' ? 'deleting' : state
}

type Generation = Pick<InstanceRecord, 'state' | 'generation'>

/** The generation whose machine tokens are good, 0 when none: the value every machine call's condition compares. */
export const liveGeneration = (record: Generation): number =>
  record.state === 'paused' || record.state === 'failed' || record.state === 'deleting' || record.state === 'deleted'
    ? 0
    : record.generation

/** The generation that may spend the wallet's money, 0 when none: a volume worker never does. */
export const spendingGeneration = (record: Generation): number =>
  isInMaintenance(record) || record.state === 'erasing' ? 0 : liveGeneration(record)

/** The question whether a machine is ready to sleep: a task of this id that it answers. */
export interface Drain {
  askedMs: number
  taskId: string
}
