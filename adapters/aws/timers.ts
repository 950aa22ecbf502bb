import {
  ConflictException,
  CreateScheduleCommand,
  type CreateScheduleCommandInput,
  DeleteScheduleCommand,
  type FlexibleTimeWindow,
  ResourceNotFoundException,
  SchedulerClient,
  UpdateScheduleCommand,
} from '@aws-sdk/client-scheduler'
import { parseCron } from '../../app/instance/cron.ts'
import type { Timers } from '../../app/ports/instance.ts'
import { windowMinutesOf } from '../../domain/instance/schedules.ts'
import { canonicalTimeZone } from '../../domain/instance/time-zones.ts'
import { iso, minuteMs } from '../../domain/time.ts'
import type { Env } from '../env.ts'
import { once } from '../memoize.ts'
import { tolerate } from './tolerate.ts'

/** One EventBridge schedule per user's schedule, all in one group of the stage. */
export const timers = (env: Env): Timers => {
  const scheduler = once(() => new SchedulerClient({ maxAttempts: 5 }))
  const group = () => env.variable('SCHEDULE_GROUP')

  return {
    async set(userId, { id, cron, timeZone, at, exact }) {
      const detail = { userId, scheduleId: id, dueAt: '<aws.scheduler.scheduled-time>' }
      const timer = {
        Name: id,
        GroupName: group(),
        ScheduleExpression: at === null ? cronExpression(cron) : atExpression(at),
        ActionAfterCompletion: at === null ? 'NONE' : 'DELETE',
        ScheduleExpressionTimezone: zoneOf(timeZone),
        FlexibleTimeWindow: timeWindow(windowMinutesOf({ exact, at }, parseCron(cron))),
        State: 'ENABLED',
        Target: {
          Arn: env.variable('BUS_ARN'),
          RoleArn: env.variable('SCHEDULER_ROLE_ARN'),
          EventBridgeParameters: { Source: 'berth', DetailType: 'schedule.due' },
          Input: JSON.stringify(detail),
          DeadLetterConfig: { Arn: env.variable('SCHEDULES_DEAD_LETTERS') },
          RetryPolicy: { MaximumEventAgeInSeconds: 3600, MaximumRetryAttempts: 8 },
        },
      } satisfies CreateScheduleCommandInput
      try {
        await scheduler().send(new CreateScheduleCommand(timer))
      } catch (thrown) {
        // The schedule exists: with other times, or from an earlier try whose answer was lost.
        if (!(thrown instanceof ConflictException)) throw thrown
        await scheduler().send(new UpdateScheduleCommand(timer))
      }
    },

    async remove(scheduleId) {
      const command = new DeleteScheduleCommand({ Name: scheduleId, GroupName: group() })
      await tolerate(ResourceNotFoundException, scheduler().send(command))
    },
  }
}

/** The scheduler spreads the runs of all schedules over their windows. The event has the schedule's own time. */
const timeWindow = (minutes: number): FlexibleTimeWindow =>
  minutes === 0 ? { Mode: 'OFF' } : { Mode: 'FLEXIBLE', MaximumWindowInMinutes: minutes }

/** Old stored names may be abbreviations or in lower case; `Intl` reads these. */
function zoneOf(stored: string): string {
  const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: stored }).resolvedOptions()
  return canonicalTimeZone(stored) ?? canonicalTimeZone(timeZone) ?? stored
}

/** `at(…)` in UTC. A time that has passed would never fire, so the earliest is in a minute. */
export function atExpression(at: string, nowMs = Date.now()): string {
  const ms = Math.max(Date.parse(at), nowMs + minuteMs)
  return `at(${iso(ms).slice(0, 19)})`
}

const weekdayNames = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT']

/** EventBridge's cron format: six fields, `?` for the day field that does not count, weekdays by name. */
export function cronExpression(line: string): string {
  const { minutes, hours, days, months, weekdays } = parseCron(line)
  const list = (values: number[], all: number) => (values.length === all ? '*' : values.join(','))
  const byWeekday = weekdays.length < 7
  const weekday = byWeekday ? weekdays.map((day) => weekdayNames[day]).join(',') : '?'
  return `cron(${list(minutes, 60)} ${list(hours, 24)} ${byWeekday ? '?' : list(days, 31)} ${list(months, 12)} ${weekday} *)`
}
