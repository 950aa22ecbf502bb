import * as z from 'zod'
import { planById } from '../billing/plans.ts'
import { scheduleMonth } from '../costs/machine.ts'
import { conflict, invalid } from '../errors.ts'
import { timestamp } from '../time.ts'

/** Longest text a schedule asks of the agent, characters. */
export const maxScheduleText = 4_000

/** How many schedules a plan may have. */
export const maxSchedules = (plan: string): number => planById(plan).schedules.most

/** A cron line as the values it names, in their order. Months count from 1, Sunday is 0. */
export interface CronFields {
  minutes: number[]
  hours: number[]
  days: number[]
  months: number[]
  weekdays: number[]
}

/** Minutes between two times of a line that come closest; a day when it has one time a day. */
function closestMinutes({ minutes, hours }: CronFields): number {
  const times = hours.flatMap((hour) => minutes.map((minute) => hour * 60 + minute))
  const [first = 0] = times
  const after = [...times.slice(1), first + 24 * 60]
  return Math.min(...after.map((next, index) => next - (times[index] ?? 0)))
}

/**
 * A new schedule keeps to its plan; one that was there before a smaller plan goes on as it is.
 * @throws validation when its times come closer together than its plan allows
 */
export function checkInterval(fields: CronFields, plan: string): void {
  const { leastMinutes } = planById(plan).schedules
  if (closestMinutes(fields) < leastMinutes)
    throw invalid(
      'cron',
      `your plan has room for one time in ${leastMinutes} minutes; a schedule’s times lie that far apart.`,
    )
}

/** How often a line comes in the longest month. */
export function runsInMonth({ minutes, hours, days, weekdays }: CronFields): number {
  const daysOfMonth = weekdays.length < 7 ? 4 * weekdays.length + Math.min(weekdays.length, 3) : days.length
  return daysOfMonth * hours.length * minutes.length
}

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
  .extend({
    nextRunAt: timestamp.nullable().meta({ description: 'Null when it never comes.' }),
    month: z.object({ runs: z.int().min(0), awakeMinutes: z.int().min(0) }).meta({
      description: 'How often it comes in a long month, and how long it keeps a machine awake that sleeps otherwise.',
    }),
  })
  .meta({ id: 'Schedule' })
export type ShownSchedule = z.infer<typeof schedule>

/** What it takes of a month. */
export const monthOf = (fields: CronFields): ShownSchedule['month'] => scheduleMonth(runsInMonth(fields))

/** Said when the plan has no room for one more. */
export const noRoom = (plan: string) =>
  conflict(`Your plan has room for ${maxSchedules(plan)} schedules. Delete one first.`)
