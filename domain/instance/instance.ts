import * as z from 'zod'
import { timestamp } from '../time.ts'

export const states = [
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
export type State = (typeof states)[number]

/** Why the instance is in its state; `paused` by `user` or `idle` is woken by a message, by `billing` it is not. */
export const reasons = [
  'subscribed',
  'user',
  'idle',
  'billing',
  'message',
  'refresh',
  'crash',
  'host',
  'ready',
  'failure',
] as const
export type Reason = (typeof reasons)[number]

export const instance = z
  .object({
    id: z.string().meta({ example: 'ins_01KAHB2N3P4Q5R6S7T8V9WXYZ0' }),
    state: z.enum(states),
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
  .meta({ id: 'Instance' })
export type Instance = z.infer<typeof instance>

/** The instance as stored, one per user. */
export interface InstanceRecord extends Instance {
  userId: string
  /** Raised by every write of the life cycle; a write is conditional on the version it read. */
  version: number
  plan: string
  /** The machine that was started for `generation`, when there is one. */
  taskArn: string | null
  /** When the sweep looks at the present state again, ms since 1970; null in a state of rest. */
  deadlineMs: number | null
  /** Machines that died one after another without a quiet spell; sets the restart's backoff. */
  crashes: number
}

/** The generation whose machine tokens are good, 0 when none: the value every machine call's condition compares. */
export const liveGeneration = (one: Pick<InstanceRecord, 'state' | 'generation'>): number =>
  one.state === 'paused' || one.state === 'failed' || one.state === 'deleting' || one.state === 'deleted'
    ? 0
    : one.generation

export function showInstance(record: InstanceRecord): Instance {
  const { userId: _, version: __, plan: ___, taskArn: ____, deadlineMs: _____, crashes: ______, ...shown } = record
  return shown
}
