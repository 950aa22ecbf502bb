import * as z from 'zod'
import { conflict } from '../errors.ts'
import { timestamp } from '../time.ts'

/** Longest text a schedule asks of the agent, characters. */
export const maxScheduleText = 4_000

/** How many schedules a plan may have. */
const maxByPlan: Record<string, number> = { starter: 5, pro: 25 }
export const maxSchedules = (plan: string): number => maxByPlan[plan] ?? 5

/** What became of a schedule's latest time. */
export const runOutcomes = ['sent', 'paused', 'no-instance', 'wallet-empty'] as const
export type RunOutcome = (typeof runOutcomes)[number]

export const storedSchedule = z.object({
  id: z.string().meta({ example: 'sch_01KAHB2N3P4Q5R6S7T8V9WXYZ0' }),
  cron: z.string().meta({ example: '0 8 * * 1-5', description: 'Minute, hour, day of month, month, day of week.' }),
  timeZone: z.string().meta({ example: 'Europe/Berlin' }),
  text: z.string().meta({ description: 'What the agent is asked then.' }),
  createdAt: timestamp,
  lastRun: z
    .object({ at: timestamp, outcome: z.enum(runOutcomes) })
    .nullable()
    .meta({ description: 'Its latest time: the prompt was sent, or why it was not.' }),
})
export type Schedule = z.infer<typeof storedSchedule>

/** What its owner sees. */
export const schedule = storedSchedule
  .extend({ nextRunAt: timestamp.nullable().meta({ description: 'Null when it never comes.' }) })
  .meta({ id: 'Schedule' })
export type ShownSchedule = z.infer<typeof schedule>

/** Said when the plan has no room for one more. */
export const noRoom = (plan: string) =>
  conflict(`Your plan has room for ${maxSchedules(plan)} schedules. Delete one first.`)
