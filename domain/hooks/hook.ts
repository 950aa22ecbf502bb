import * as z from 'zod'
import { type Plan, planById } from '../billing/plans.ts'
import { conflict } from '../errors.ts'
import { runOutcomes } from '../instance/schedules.ts'
import { apiRoot } from '../oauth/metadata.ts'
import { dayMs } from '../time.ts'
import { timestamp } from '../timestamp.ts'
import type { ByToken } from '../tokens/made-by-token.ts'
import { refusalOnTrial } from '../trial/trial.ts'

export const maxHookText = 4_000

export const maxDeliveryBytes = 64 * 1024

/** Bytes of a delivery's body that the agent gets at most. */
export const maxDeliveryTextBytes = 16_000

/** A repeated delivery is recognised for this time, ms: senders repeat for days, and GitHub’s signature has no time. */
export const deliveryKeptMs = 30 * dayMs

export const hookLimits = (plan: string): Plan['hooks'] => planById(plan).hooks

export const storedHook = z.object({
  id: z.string().meta({ example: 'hok_01KAHB2N3P4Q5R6S7T8V9WXYZ0' }),
  name: z.string().meta({ example: 'Deployments' }),
  text: z.string().meta({ description: 'The agent’s instruction for a delivery.' }),
  createdAt: timestamp,
  lastDelivery: z
    .object({ at: timestamp, outcome: z.enum(runOutcomes) })
    .nullable()
    .meta({ description: 'Its latest delivery: whether the agent was prompted, or the reason why not.' }),
})

/** The secret is derived from `secretVersion`, 1 at first. */
export interface HookRecord extends z.infer<typeof storedHook> {
  userId: string
  secretVersion: number
  byToken?: ByToken | undefined
}

export const hook = storedHook
  .extend({ address: z.url().meta({ description: 'The address for deliveries, by POST.' }) })
  .meta({ id: 'Hook' })
export type Hook = z.infer<typeof hook>

export const secretText = z
  .string()
  .meta({ description: 'Shown only once.', example: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDK7MqvzHzXYE=' })

export const showHook = (
  { userId: _, secretVersion: __, byToken: ___, ...hook }: HookRecord,
  origin: string,
): Hook => ({ ...hook, address: `${apiRoot(origin)}/hooks/in/${hook.id}` })

export const noRoomForHook = (plan: string) =>
  refusalOnTrial(plan, 'hooks') ?? conflict(`Your plan has room for ${hookLimits(plan).most} hooks. Delete one first.`)
