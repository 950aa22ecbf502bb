import * as z from 'zod'
import { planById } from '../billing/plans.ts'
import { conflict, type DomainError, invalid } from '../errors.ts'
import { text } from '../text-schema.ts'
import { dayMs, minuteMs } from '../time.ts'
import { timestamp } from '../timestamp.ts'
import { refusalOnTrial } from '../trial/trial.ts'
import { scheduleMonth } from './awake-time.ts'

const maxScheduleText = 4_000

const scheduledBy = z.enum(['user', 'agent'])
export type ScheduledBy = z.infer<typeof scheduledBy>

/** Schedules that the agent may try to make. */
export const maxScheduledPerHour = 60

/** A run may come this many minutes after its time, so that not all machines start in the same minute. */
export const maxWindowMinutes = 10

/** Schedules of one user that run at their exact minute. */
export const maxExact = 3

/** Allowed distance of a single time from now. */
const aheadMs = { least: minuteMs, most: 366 * dayMs } as const

const cronInput = z
  .string()
  .trim()
  .min(1)
  .max(100)
  .meta({ description: 'Minute, hour, day of month, month, day of week.', example: '0 8 * * 1-5' })
const onceInput = timestamp.meta({ description: 'Instead of `cron`: the minute of a single run.' })
const timeZoneInput = z.string().min(1).max(64).meta({
  description:
    'The time zone of `cron`: a name of the IANA time zone database, in any case; an older name is stored as today’s.',
  example: 'Europe/Berlin',
})
const exactInput = z.boolean().meta({
  description:
    `True runs it at its exact minute; at most ${maxExact} schedules of a user may. Otherwise a run comes within ` +
    `${maxWindowMinutes} minutes after its time, or within half the time between two runs if that is shorter.`,
})
const textInput = text().trim().min(1).max(maxScheduleText).meta({ example: 'Write my morning brief.' })

export const scheduleInput = z
  .strictObject({
    cron: cronInput.optional(),
    at: onceInput.optional(),
    timeZone: timeZoneInput.default('UTC'),
    text: textInput,
    exact: exactInput.default(false),
  })
  .refine(({ cron, at }) => (cron === undefined) !== (at === undefined), {
    path: ['cron'],
    message: 'Send either cron or at.',
  })
export type ScheduleInput = z.infer<typeof scheduleInput>

export const scheduleChange = z
  .strictObject({
    cron: cronInput.optional(),
    at: onceInput.optional(),
    timeZone: timeZoneInput.optional(),
    text: textInput.optional(),
    exact: exactInput.optional(),
    paused: z.boolean().optional().meta({ description: 'True pauses the schedule, false resumes it.' }),
  })
  .refine(({ cron, at }) => cron === undefined || at === undefined, {
    path: ['cron'],
    message: 'Send cron or at, not both.',
  })
export type ScheduleChange = z.infer<typeof scheduleChange>

/** The next whole minute, ms since 1970. @throws validation for a time that is past or too far ahead */
export function minuteOf(at: string, nowMs: number): number {
  const ms = Math.ceil(Date.parse(at) / minuteMs) * minuteMs
  if (ms < nowMs + aheadMs.least) throw invalid('at', 'give a time at least a minute from now.')
  if (ms > nowMs + aheadMs.most) throw invalid('at', `give a time within ${aheadMs.most / dayMs} days.`)
  return ms
}

/** A cron line of this minute, in UTC. */
export function cronAt(ms: number): string {
  const time = new Date(ms)
  return `${time.getUTCMinutes()} ${time.getUTCHours()} ${time.getUTCDate()} ${time.getUTCMonth() + 1} *`
}

/** The values of a cron line in their order. Months count from 1, Sunday is 0. */
export interface CronFields {
  minutes: number[]
  hours: number[]
  days: number[]
  months: number[]
  weekdays: number[]
}

/** Least minutes between two runs; a day for one run a day. */
function closestMinutes({ minutes, hours }: CronFields): number {
  const times = hours.flatMap((hour) => minutes.map((minute) => hour * 60 + minute))
  const [first = 0] = times
  const after = [...times.slice(1), first + 24 * 60]
  return Math.min(...after.map((next, index) => next - (times[index] ?? 0)))
}

/** Minutes after its time within which a run comes; 0 for the exact minute. */
export const windowMinutesOf = ({ exact, at }: Pick<Schedule, 'exact' | 'at'>, fields: CronFields): number =>
  exact ? 0 : Math.min(maxWindowMinutes, at === null ? Math.floor(closestMinutes(fields) / 2) : maxWindowMinutes)

/** @param others the user's other schedules @throws conflict for one exact schedule too many */
export function checkExact({ id, exact }: Pick<Schedule, 'id' | 'exact'>, others: readonly Schedule[]): void {
  const taken = others.filter((other) => other.exact && other.id !== id).length
  if (exact && taken >= maxExact)
    throw conflict(`At most ${maxExact} schedules may run at the exact minute. Leave “exact” out, or change another.`)
}

/** Existing schedules stay after a change to a smaller plan. @throws validation when runs are too close for the plan */
export function checkInterval(fields: CronFields, plan: string): void {
  const { leastMinutes } = planById(plan).schedules
  if (closestMinutes(fields) < leastMinutes)
    throw invalid('cron', `your plan allows one run in ${leastMinutes} minutes.`)
}

/** Runs in the longest month. */
export function runsInMonth({ minutes, hours, days, weekdays }: CronFields): number {
  const daysOfMonth = weekdays.length < 7 ? 4 * weekdays.length + Math.min(weekdays.length, 3) : days.length
  return daysOfMonth * hours.length * minutes.length
}

export const runOutcomes = ['sent', 'paused', 'no-instance', 'wallet-empty'] as const
export type RunOutcome = (typeof runOutcomes)[number]

export const scheduleRun = z
  .object({
    at: timestamp.meta({ description: 'The scheduled time, or the time of a manual run.' }),
    outcome: z.enum(runOutcomes).meta({ description: 'Whether the prompt was sent, or the reason why not.' }),
    messageId: z
      .string()
      .nullable()
      .meta({ description: 'The agent’s prompt, in the main conversation; null if none was sent.' }),
  })
  .meta({ id: 'ScheduleRun' })
export type ScheduleRun = z.infer<typeof scheduleRun>

const maxRuns = 20

/** Newest first; a repeated run replaces itself. */
export const withRun = (runs: readonly ScheduleRun[], run: ScheduleRun): ScheduleRun[] =>
  [run, ...runs.filter(({ at }) => at !== run.at)].sort((a, b) => b.at.localeCompare(a.at)).slice(0, maxRuns)

export const storedSchedule = z.object({
  id: z.string().meta({ example: 'sch_01KAHB2N3P4Q5R6S7T8V9WXYZ0' }),
  cron: z.string().meta({ example: '0 8 * * 1-5', description: 'Minute, hour, day of month, month, day of week.' }),
  timeZone: z.string().meta({ example: 'Europe/Berlin' }),
  at: timestamp
    .nullable()
    .meta({ description: 'The time of a single run, which `cron` also contains; null for a repeated schedule.' }),
  by: scheduledBy.meta({ description: 'The creator.' }),
  text: z.string().meta({ description: 'The prompt of its runs.' }),
  exact: z.boolean().meta({ description: 'Whether it runs at its exact minute.' }),
  createdAt: timestamp,
  paused: z.boolean().meta({ description: 'Whether the schedule is paused.' }),
  runs: z.array(scheduleRun).meta({ description: 'Its latest runs, newest first.' }),
})
export type Schedule = z.infer<typeof storedSchedule>

export const schedule = storedSchedule
  .extend({
    lastRun: scheduleRun.nullable().meta({ description: 'The newest of `runs`.' }),
    nextRunAt: timestamp.nullable().meta({ description: 'Null if it never runs again.' }),
    windowMinutes: z.int().min(0).meta({
      description: 'A run comes within this many minutes after its time; 0 for the exact minute.',
      example: maxWindowMinutes,
    }),
    month: z.object({ runs: z.int().min(0), awakeMinutes: z.int().min(0) }).meta({
      description:
        'The number of runs in a long month, and the time for which they keep an otherwise paused machine running.',
    }),
  })
  .meta({ id: 'Schedule' })
export type ShownSchedule = z.infer<typeof schedule>

export const monthOf = (fields: CronFields): ShownSchedule['month'] => scheduleMonth(runsInMonth(fields))

export function noRoom(plan: string, by: ScheduledBy): DomainError {
  const { most, byAgent } = planById(plan).schedules
  const own = by === 'agent' ? `, at most ${byAgent} of them its agent’s own` : ''
  return (
    refusalOnTrial(plan, 'schedules') ?? conflict(`The plan has room for ${most} schedules${own}. Delete one first.`)
  )
}

/**
 * Until then, ms since 1970, a schedule that just ran keeps its place: no place runs more often than its plan allows.
 */
const placeFreeMs = ({ runs: [lastRun] }: Pick<Schedule, 'runs'>, plan: string): number =>
  lastRun?.outcome !== 'sent' ? 0 : Date.parse(lastRun.at) + planById(plan).schedules.leastMinutes * minuteMs

/** A skipped single run stays for a day, to show its outcome. */
export function isOver(schedule: Schedule, plan: string, nowMs: number): boolean {
  const come = timeThatCame(schedule)
  if (!come) return false
  return nowMs >= (come.outcome === 'sent' ? placeFreeMs(schedule, plan) : Date.parse(come.at) + dayMs)
}

export const timeThatCame = ({ at, runs }: Pick<Schedule, 'at' | 'runs'>): ScheduleRun | undefined =>
  at === null ? undefined : runs.find((run) => run.at === at)

/** @throws conflict for an agent's schedule that just ran: a new one would run more often than the plan allows */
export function checkPlaceFree(schedule: Schedule, plan: string, nowMs: number): void {
  const minutes = Math.ceil((placeFreeMs(schedule, plan) - nowMs) / minuteMs)
  if (minutes <= 0) return
  throw conflict(`This schedule has just run. It can be deleted in ${minutes} minutes.`)
}
