import {
  ConflictException,
  CreateScheduleCommand,
  DeleteScheduleCommand,
  ResourceNotFoundException,
  SchedulerClient,
} from '@aws-sdk/client-scheduler'
import { cronExpression } from '../../domain/instance/cron.ts'
import type { Timers } from '../../domain/instance/ports.ts'
import type { Env } from '../env.ts'

/** EventBridge Scheduler: one schedule of its own for each of the users', in one group of the stage. */
export const timers = (env: Env): Timers => {
  let client: SchedulerClient | undefined
  const scheduler = () => {
    client ??= new SchedulerClient({ maxAttempts: 5 })
    return client
  }
  const group = () => env.variable('SCHEDULE_GROUP')

  return {
    async set(userId, { id, cron, timeZone }) {
      const detail = { userId, scheduleId: id, dueAt: '<aws.scheduler.scheduled-time>' }
      try {
        await scheduler().send(
          new CreateScheduleCommand({
            Name: id,
            GroupName: group(),
            ScheduleExpression: cronExpression(cron),
            ScheduleExpressionTimezone: timeZone,
            FlexibleTimeWindow: { Mode: 'OFF' },
            State: 'ENABLED',
            Target: {
              Arn: env.variable('BUS_ARN'),
              RoleArn: env.variable('SCHEDULER_ROLE_ARN'),
              EventBridgeParameters: { Source: 'berth', DetailType: 'schedule.due' },
              Input: JSON.stringify(detail),
              RetryPolicy: { MaximumEventAgeInSeconds: 3600, MaximumRetryAttempts: 8 },
            },
          }),
        )
      } catch (error) {
        // One of this name was set by an attempt whose answer was lost.
        if (!(error instanceof ConflictException)) throw error
      }
    },

    async remove(scheduleId) {
      try {
        await scheduler().send(new DeleteScheduleCommand({ Name: scheduleId, GroupName: group() }))
      } catch (error) {
        if (!(error instanceof ResourceNotFoundException)) throw error
      }
    },
  }
}
