import type { AgentSchedules } from '../../../app/ports/instance.ts'
import { conflict } from '../../../domain/errors.ts'
import { maxScheduledPerHour } from '../../../domain/instance/schedules.ts'
import type { Env } from '../../env.ts'
import { writeOnce } from '../chat/write-once.ts'
import { findSchedule, scheduleWrites } from './schedules.ts'

/** The agent's keys are stored with those of its messages, and expire with them. */
export const agentSchedules = (env: Env): AgentSchedules => ({
  async add(userId, key, schedule, room, nowMs, ...also) {
    const settings = env.table('settings')
    const written = await writeOnce(
      env.table('conversations'),
      { userId, key, id: schedule.id, what: 'schedules', most: maxScheduledPerHour, nowMs },
      scheduleWrites(settings, userId, schedule, room),
      ...also,
    )
    if (written === null) return null
    if (written === schedule.id) return schedule
    const stands = await findSchedule(settings, userId, written)
    if (!stands) throw conflict('The schedule made under this key is gone. Use another key.')
    return stands
  },
})
