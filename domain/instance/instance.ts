import * as z from 'zod'
import { timestamp } from '../time.ts'
import { explain } from './explain.ts'
import { type Drain, idleStopAt } from './idle.ts'

/** What its owner sees. */
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

/** What is stored: while a keeper works on the files of an instance that sleeps or ends, that is a state of its own. */
export const states = [...shownStates, 'opening', 'keeping', 'closing', 'erasing'] as const
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

/** What is both stored and shown. */
export const instanceFacts = z.object({
  id: z.string().meta({ example: 'ins_01KAHB2N3P4Q5R6S7T8V9WXYZ0' }),
  state: z.enum(shownStates),
  desiredState: z.enum(['running', 'paused', 'deleted']),
  reason: z.enum(reasons),
  model: z.string().meta({ description: 'Default model, as `provider/model`.' }),
  persona: z.string(),
  imageVersion: z.string(),
  generation: z.int().min(0),
  createdAt: timestamp,
  startedAt: timestamp.nullable(),
  lastActivityAt: timestamp.nullable(),
  idleStopAt: timestamp.nullable(),
  failure: z.object({ code: z.string(), message: z.string(), recoverable: z.boolean() }).optional(),
})

export const instance = instanceFacts
  .extend({
    explanation: z.string().meta({ description: 'One sentence: why it is awake or asleep, and what comes next.' }),
  })
  .meta({ id: 'Instance' })
export type Instance = z.infer<typeof instance>

/** The instance as stored, one per user. */
export interface InstanceRecord extends Omit<z.infer<typeof instanceFacts>, 'state'> {
  state: State
  userId: string
  /** Raised by every write of the life cycle; a write is conditional on the version it read. */
  version: number
  plan: string
  /** The machine that was started for `generation`, when there is one. */
  taskArn: string | null
  /** When the sweep looks at the present state again, ms since 1970; null in a state of rest. */
  deadlineMs: number | null
  /** Machines that died one after another without a quiet spell; sets the restart's backoff. Of keepers: for one queue. */
  crashes: number
  /** Starts that failed one after another for a passing reason. */
  failedStarts: number
  /** Before this no start is tried again, ms since 1970. */
  startAfterMs: number | null
  /** What started the machine, crashes apart. */
  wokenBy: Reason | null
  /** Whether the machine was asked to sleep. */
  drain: Drain | null
  /** The image to go back to while a new one is on trial. */
  previousImage: string | null
  /** The volume as it was before the new image: asked for while that waits, gone back to if it dies on its trial. */
  before: Before | null
  /** When its owner was told that the volume has outgrown the plan, ISO 8601; null while it fits. */
  overPlanSince: string | null
  /** Whether the last keeper of an instance that is deleted has emptied its volume. */
  emptied: boolean
}

/** A restore point that was asked for, when (ms since 1970), and the task that would bring it back. */
export interface Before {
  pointId: string
  askedMs: number
  taskId: string
}

/** True while the volume is brought back to what it was before a new image that did not live. */
export const goesBack = (one: Pick<InstanceRecord, 'state' | 'before' | 'previousImage'>): boolean =>
  isKept(one) && one.before !== null && one.previousImage === null

/** True while a keeper is there, or comes, instead of the agent's machine. */
export const isKept = ({ state }: Pick<InstanceRecord, 'state'>): boolean =>
  state === 'opening' || state === 'keeping' || state === 'closing'

/** True for an instance that sleeps or is about to, whether a keeper works on its files or not. */
export const isAsleep = (one: Pick<InstanceRecord, 'state' | 'desiredState'>): boolean =>
  one.state === 'paused' || one.state === 'pausing' || (isKept(one) && one.desiredState === 'paused')

/** True from the moment its end was asked for. */
export const isEnding = ({ state }: Pick<InstanceRecord, 'state'>): boolean =>
  state === 'deleting' || state === 'erasing' || state === 'deleted'

export function shownState(one: Pick<InstanceRecord, 'state' | 'desiredState'>): ShownState {
  const { state } = one
  if (state === 'opening' || state === 'keeping' || state === 'closing')
    return one.desiredState === 'running' ? 'resuming' : 'paused'
  return state === 'erasing' ? 'deleting' : state
}

type Born = Pick<InstanceRecord, 'state' | 'generation'>

/** The generation whose machine tokens are good, 0 when none: the value every machine call's condition compares. */
export const liveGeneration = (one: Born): number =>
  one.state === 'paused' || one.state === 'failed' || one.state === 'deleting' || one.state === 'deleted'
    ? 0
    : one.generation

/** The generation that may spend the wallet's money, 0 when none: a keeper never does. */
export const spendingGeneration = (one: Born): number =>
  isKept(one) || one.state === 'erasing' ? 0 : liveGeneration(one)

/** What its owner sees. */
export const showInstance = (record: InstanceRecord): Instance => ({
  ...instanceFacts.parse({ ...record, state: shownState(record) }),
  idleStopAt: idleStopAt(record),
  explanation: explain(record),
})
