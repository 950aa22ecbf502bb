import * as z from 'zod'
import type { Denials } from '../../../app/ports/models.ts'
import { stops, stopsFreshMs } from '../../../domain/operator/stops.ts'
import type { Env } from '../../env.ts'
import { keptFor } from '../../memoize.ts'
import { changed, get, ifStill } from '../calls.ts'
import { itemAt } from '../expressions.ts'
import { parse } from '../item.ts'

const key = { list: 'model-fields' }
const list = z.object({
  revision: z.int(),
  fields: z.record(z.string(), z.string()),
  stops: stops.default({}),
})
const empty: z.infer<typeof list> = { revision: 0, fields: {}, stops: {} }

/** One item, which a function caches for all its calls. */
export const denials = (env: Env): Denials => {
  const find = async () => {
    const item = await get(env.table('denied'), key)
    return item ? parse(list, item) : empty
  }
  const current = keptFor(async () => {
    const { fields, stops } = await find()
    return { fields: new Set(Object.keys(fields)), stops }
  }, stopsFreshMs)
  return {
    find,
    current: (maxAgeMs) => current(maxAgeMs),
    save({ fields, stops }, { revision }, ...also) {
      const at = itemAt<keyof typeof list.shape>(env.table('denied'), key)
      return changed({ ...at, ...ifStill('revision', revision, { fields, stops }) }, ...also)
    },
  }
}
