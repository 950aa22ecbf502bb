import * as z from 'zod'
import type { Schedules } from '../../../app/ports/instance.ts'
import { lost, retry } from '../../../app/retry.ts'
import { idPattern } from '../../../domain/ids.ts'
import { type Schedule, scheduleRun, storedSchedule, withRun } from '../../../domain/instance/schedules.ts'
import type { Env } from '../../env.ts'
import { changed, countInput, deleteInput, get, itemRange, putInput, queryAll, setting, transact } from '../calls.ts'
import { itemAt } from '../expressions.ts'
import { type Item, parse } from '../item.ts'

const { at, by, exact, paused } = storedSchedule.shape
const stored = storedSchedule.extend({
  at: at.default(null),
  by: by.default('user'),
  exact: exact.default(false),
  paused: paused.default(false),
  runs: z.array(scheduleRun.extend({ messageId: scheduleRun.shape.messageId.default(null) })).default([]),
})
const read = (item: Item): Schedule => parse(stored, { ...item, id: item.item ?? { S: '' } })
const isScheduleId = (id: string): boolean => idPattern('sch').test(id)

const counters = { all: 'schedules', agent: 'schedules-by-agent' } as const

export async function findSchedule(table: string, userId: string, id: string): Promise<Schedule | null> {
  const item = isScheduleId(id) ? await get(table, { userId, item: id }) : null
  return item && read(item)
}

/** Adds a schedule if there is room. */
export function scheduleWrites(
  table: string,
  userId: string,
  { id, ...rest }: Schedule,
  { most, byAgent }: { most: number; byAgent?: number },
) {
  const put = putInput(table, 'item', { userId, item: id, ...rest })
  const counted = [{ Put: put }, { Update: countInput(table, { userId, item: counters.all }, 1, most) }]
  if (byAgent === undefined) return counted
  return [...counted, { Update: countInput(table, { userId, item: counters.agent }, 1, byAgent) }]
}

export const schedules = (env: Env): Schedules => {
  const table = () => env.table('settings')
  const scheduleAt = (userId: string, id: string) => itemAt<keyof Schedule>(table(), { userId, item: id })
  return {
    list: (userId) => queryAll(itemRange(table(), userId, 'sch_', 'sch_~'), read),
    find: (userId, id) => findSchedule(table(), userId, id),
    add: async (userId, schedule, most, ...also) =>
      (await transact(scheduleWrites(table(), userId, schedule, { most }), ...also)).done,

    async remove(userId, { id, by }, ...also) {
      if (!isScheduleId(id)) return false
      const gone = deleteInput({ ...scheduleAt(userId, id), condition: 'attribute_exists(#item)' })
      const counted = by === 'agent' ? [counters.all, counters.agent] : [counters.all]
      const fewer = counted.map((item) => ({ Update: countInput(table(), { userId, item }, -1) }))
      return (await transact([{ Delete: gone }, ...fewer], ...also)).done
    },

    async update(userId, { id, cron, timeZone, at, text, paused, exact }, ...also) {
      if (!isScheduleId(id)) return false
      const { update, values } = setting({ cron, timeZone, text, paused, exact, ...(at !== null && { at }) })
      return changed(
        {
          ...scheduleAt(userId, id),
          update: `${update}${at === null ? ' REMOVE #at' : ''}`,
          values,
          condition: 'attribute_exists(#item)',
        },
        ...also,
      )
    },

    async recordRun(userId, id, run) {
      await retry(async () => {
        const item = isScheduleId(id) ? await get(table(), { userId, item: id }) : null
        if (!item) return
        const { runs } = read(item)
        const { update, values } = setting({ runs: withRun(runs, run) })
        const written = await changed({
          ...scheduleAt(userId, id),
          update,
          condition: item.runs ? 'attribute_exists(#item) AND #runs = :seen' : 'attribute_not_exists(#runs)',
          values: { ...values, ...(item.runs && { ':seen': runs }) },
        })
        return written ? undefined : lost
      })
    },
  }
}
