import type { Schedules } from '../../../app/instance/ports.ts'
import { idPattern } from '../../../domain/ids.ts'
import { type Schedule, storedSchedule } from '../../../domain/instance/schedules.ts'
import type { Env } from '../../env.ts'
import { change, countInput, deleteInput, get, itemRange, putInput, queryAll, setting, transact } from '../calls.ts'
import { type Item, parse } from '../item.ts'

const stored = storedSchedule.extend({ lastRun: storedSchedule.shape.lastRun.default(null) })
const read = (item: Item): Schedule => parse(stored, { ...item, id: item.item ?? { S: '' } })
const isScheduleId = (id: string): boolean => idPattern('sch').test(id)

export const schedules = (env: Env): Schedules => {
  const table = () => env.table('settings')
  const counting = (userId: string, by: 1 | -1, most?: number) =>
    countInput(table(), { userId, item: 'schedules' }, by, most)
  return {
    list: (userId) => queryAll(itemRange(table(), userId, 'sch_', 'sch_~'), read),

    async find(userId, id) {
      const item = isScheduleId(id) ? await get(table(), { userId, item: id }) : null
      return item && read(item)
    },

    async add(userId, { id, ...rest }, most) {
      const put = putInput(table(), 'item', { userId, item: id, ...rest })
      const written = await transact([{ Put: put }, { Update: counting(userId, 1, most) }])
      return written.done
    },

    async remove(userId, id) {
      if (!isScheduleId(id)) return
      const gone = { table: table(), key: { userId, item: id }, condition: 'attribute_exists(#item)' }
      await transact([{ Delete: deleteInput(gone) }, { Update: counting(userId, -1) }])
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
