import * as z from 'zod'
import { unsignedMicros } from '../money.ts'
import { timestamp } from '../time.ts'

export const planIds = ['starter', 'pro'] as const
export type PlanId = (typeof planIds)[number]

export const plan = z
  .object({
    id: z.enum(planIds),
    name: z.string(),
    priceCents: z.int().min(0),
    interval: z.literal('month'),
    machine: z.object({ cpu: z.int(), memoryMiB: z.int(), storageGiB: z.int() }),
    includedMicros: unsignedMicros.meta({ description: 'Wallet credit each paid month includes, in µUSD.' }),
  })
  .meta({ id: 'Plan' })
export type Plan = z.infer<typeof plan>

/** The plans, cheapest first; each is at least as large as the one before it in everything. */
export const plans = [
  {
    id: 'starter',
    name: 'Starter',
    priceCents: 1_200,
    interval: 'month',
    machine: { cpu: 256, memoryMiB: 512, storageGiB: 5 },
    includedMicros: 2_000_000,
  },
  {
    id: 'pro',
    name: 'Pro',
    priceCents: 3_900,
    interval: 'month',
    machine: { cpu: 1024, memoryMiB: 2048, storageGiB: 25 },
    includedMicros: 10_000_000,
  },
] as const satisfies readonly Plan[]

export const planById = (id: PlanId): Plan => plans.find((one) => one.id === id) ?? plans[0]

/** Stripe finds a plan's price by this lookup key. */
export const lookupKey = (id: PlanId): string => `berth_${id}_monthly`

export const subscription = z
  .object({
    status: z.enum(['none', 'active', 'past_due', 'canceled']),
    plan: z.enum(planIds).nullable(),
    currentPeriodEnd: timestamp.nullable(),
    cancelAtPeriodEnd: z.boolean(),
    nextPlan: z.enum(planIds).optional().meta({ description: 'The plan that the next period begins with.' }),
  })
  .meta({ id: 'Subscription' })
export type Subscription = z.infer<typeof subscription>

export const noSubscription: Subscription = {
  status: 'none',
  plan: null,
  currentPeriodEnd: null,
  cancelAtPeriodEnd: false,
}

/** True while the subscription pays for a machine. */
export const isLive = (one: Subscription): boolean => one.status === 'active' || one.status === 'past_due'
