import type { Schedules } from '../../../app/instance/ports.ts'
import { idPattern } from '../../../domain/ids.ts'
import { type Schedule, storedSchedule } from '../../../domain/instance/schedules.ts'
import type { Env } from '../../env.ts'
import { change, get, itemRange, putNew, queryAll, remove, setting } from '../calls.ts'
import { type Item, parse } from '../item.ts'

const stored = storedSchedule.extend({ lastRun: storedSchedule.shape.lastRun.default(null) })
const read = (item: Item): Schedule => parse(stored, { ...item, id: item.item ?? { S: '' } })
const isScheduleId = (id: string): boolean => idPattern('sch').test(id)

export const schedules = (env: Env): Schedules => {
  const table = () => env.table('settings')
  return {
    list: (userId) => queryAll(itemRange(table(), userId, 'sch_', 'sch_~'), read),

    async find(userId, id) {
      const item = isScheduleId(id) ? await get(table(), { userId, item: id }) : null
      return item && read(item)
    },

    add: async (userId, { id, ...rest }) => (await putNew(table(), 'item', { userId, item: id, ...rest })).done,

    async remove(userId, id) {
      if (isScheduleId(id)) await remove(table(), { userId, item: id })
    },

    async recordRun(userId, id, lastRun) {
      if (!isScheduleId(id)) return
      await change({
        table: table(),
        key: { userId, item: id },
        ...setting({ lastRun }),
        condition: 'attribute_exists(#item)',
      })
    },
  }
}
