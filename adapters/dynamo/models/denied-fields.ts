import * as z from 'zod'
import type { DeniedFields } from '../../../app/models/ports.ts'
import { minuteMs } from '../../../domain/time.ts'
import type { Env } from '../../env.ts'
import { keptFor } from '../../memoize.ts'
import { changed, get, setting } from '../calls.ts'
import { parse } from '../item.ts'

/** How long a function believes the list, ms: an operator's change is in force everywhere after this. */
const freshMs = minuteMs

const key = { list: 'model-fields' }
const list = z.object({ revision: z.int(), fields: z.record(z.string(), z.string()) })
const empty: z.infer<typeof list> = { revision: 0, fields: {} }

/** One item of few names. */
export const deniedFields = (env: Env): DeniedFields => {
  const find = async () => {
    const item = await get(env.table('denied'), key)
    return item ? parse(list, item) : empty
  }
  const names = keptFor(async () => new Set(Object.keys((await find()).fields)), freshMs)
  return {
    find,
    names: () => names(),
    save(fields, { revision }) {
      const { update, values } = setting({ revision: revision + 1, fields })
      return changed({
        table: env.table('denied'),
        key,
        update,
        condition: revision === 0 ? 'attribute_not_exists(#revision)' : '#revision = :seen',
        values: { ...values, ...(revision !== 0 && { ':seen': revision }) },
      })
    },
  }
}
