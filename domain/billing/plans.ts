import * as z from 'zod'
import { unsignedMicros } from '../money.ts'

export const planIds = ['starter', 'pro'] as const
export type PlanId = (typeof planIds)[number]

/** Limits of a UTC day that all tokens, sessions, chats and programs of an account share. */
const ofDay = (count: string, bytes: string) => ({
  aDay: z.int().min(0).meta({ description: count }),
  bytesADay: z.int().min(0).meta({ description: bytes }),
})

export const plan = z
  .object({
    id: z.enum(planIds),
    name: z.string(),
    priceCents: z.int().min(0),
    interval: z.literal('month'),
    machine: z.object({ cpu: z.int(), memoryMiB: z.int(), storageGiB: z.int() }),
    idle: z.object({
      minutes: z
        .int()
        .min(1)
        .meta({ description: 'Minutes without activity after which the machine is asked to pause.' }),
      ceilingMinutes: z
        .int()
        .min(1)
        .meta({ description: 'Minutes without activity after which the machine is stopped even if it reports work.' }),
    }),
    schedules: z.object({
      most: z.int().min(0).meta({ description: 'Maximum number of schedules.' }),
      byAgent: z.int().min(0).meta({ description: 'Maximum schedules that the agent creates itself.' }),
      leastMinutes: z.int().min(1).max(60).meta({ description: 'Minimum minutes between two runs of a schedule.' }),
    }),
    hooks: z.object({
      most: z.int().min(0).meta({ description: 'Maximum number of hooks.' }),
      deliveriesAnHour: z.int().min(1).meta({ description: 'Maximum deliveries to one hook in an hour.' }),
      ...ofDay('Maximum deliveries to all hooks in a UTC day.', 'Maximum bytes of these deliveries for the agent.'),
    }),
    webhookEndpoints: z.object({
      most: z.int().min(0).meta({ description: 'Maximum number of webhook endpoints.' }),
      deliveriesAnHour: z.int().min(1).meta({ description: 'Maximum deliveries to one endpoint in an hour.' }),
      ...ofDay('Maximum deliveries to all endpoints in a UTC day.', 'Maximum bytes of these deliveries.'),
    }),
    messages: z.object({
      waiting: z.int().min(1).meta({
        description: 'Maximum messages that wait for an answer, including those of hooks and schedules.',
      }),
      waitingBytes: z.int().min(1).meta({ description: 'Maximum bytes of the waiting texts.' }),
      ...ofDay('Maximum messages of people and their programs in a UTC day.', 'Maximum bytes of their texts.'),
    }),
    includedMicros: unsignedMicros.meta({ description: 'The wallet credit that each paid month includes, in µUSD.' }),
  })
  .meta({ id: 'Plan' })
export type Plan = z.infer<typeof plan>

/** Cheapest first; each plan is at least as large as the one before it in everything. */
export const plans = [
  {
    id: 'starter',
    name: 'Starter',
    priceCents: 1_200,
    interval: 'month',
    machine: { cpu: 256, memoryMiB: 512, storageGiB: 5 },
    idle: { minutes: 15, ceilingMinutes: 120 },
    schedules: { most: 5, byAgent: 2, leastMinutes: 60 },
    hooks: { most: 3, deliveriesAnHour: 10, aDay: 100, bytesADay: 300_000 },
    webhookEndpoints: { most: 2, deliveriesAnHour: 100, aDay: 400, bytesADay: 300_000 },
    messages: { waiting: 200, waitingBytes: 500_000, aDay: 300, bytesADay: 780_000 },
    includedMicros: 2_000_000,
  },
  {
    id: 'pro',
    name: 'Pro',
    priceCents: 3_900,
    interval: 'month',
    machine: { cpu: 1024, memoryMiB: 2048, storageGiB: 25 },
    idle: { minutes: 60, ceilingMinutes: 720 },
    schedules: { most: 25, byAgent: 12, leastMinutes: 5 },
    hooks: { most: 10, deliveriesAnHour: 30, aDay: 600, bytesADay: 2_000_000 },
    webhookEndpoints: { most: 5, deliveriesAnHour: 300, aDay: 2_500, bytesADay: 2_000_000 },
    messages: { waiting: 500, waitingBytes: 2_000_000, aDay: 1_000, bytesADay: 4_000_000 },
    includedMicros: 10_000_000,
  },
] as const satisfies readonly Plan[]

export type PlanLimits = Omit<Plan, 'id'> & { id: PlanId | 'trial' }

/** The smallest machine, without anything that runs by itself or reaches other people. */
export const trialPlan = {
  ...plans[0],
  id: 'trial',
  name: 'Trial',
  priceCents: 0,
  machine: { ...plans[0].machine, storageGiB: 1 },
  schedules: { most: 0, byAgent: 0, leastMinutes: 60 },
  hooks: { most: 0, deliveriesAnHour: 1, aDay: 0, bytesADay: 0 },
  webhookEndpoints: { most: 0, deliveriesAnHour: 1, aDay: 0, bytesADay: 0 },
  messages: { waiting: 50, waitingBytes: 500_000, aDay: 200, bytesADay: 780_000 },
  includedMicros: 0,
} as const satisfies PlanLimits

/** A plan that is no longer sold has the limits of the smallest one. */
export const planById = (id: string): PlanLimits =>
  id === trialPlan.id ? trialPlan : (plans.find((plan) => plan.id === id) ?? plans[0])

export const lookupKey = (id: PlanId): string => `berth_${id}_monthly`
