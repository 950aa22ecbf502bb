import type { Views } from '../../../app/ports/operator.ts'
import { type ViewRecord, viewRecord } from '../../../domain/operator/view.ts'
import { iso } from '../../../domain/time.ts'
import type { Env } from '../../env.ts'
import { changed, get, removed, setting } from '../calls.ts'
import { itemAt } from '../expressions.ts'
import { parse } from '../item.ts'

/** One item per operator, so that nobody can view two users at once. */
export function views(env: Env): Views {
  const table = () => env.table('console')
  const at = (operator: string) => itemAt<keyof ViewRecord | 'view'>(table(), { list: 'views', id: operator })
  return {
    async of(operator) {
      const item = await get(table(), at(operator).key)
      return item?.view ? parse(viewRecord, { ...item, id: item.view }) : null
    },

    begin({ id, ...rest }, nowMs, ...also) {
      const ttl = Math.ceil(Date.parse(rest.endsAt) / 1000)
      const { update, values } = setting({ ...rest, view: id, ttl })
      return changed(
        {
          ...at(rest.operator),
          update,
          // A retry after a lost answer finds its own view.
          condition: 'attribute_not_exists(#view) OR #endsAt <= :now OR #view = :view',
          values: { ...values, ':now': iso(nowMs) },
        },
        ...also,
      )
    },

    end: ({ id, operator }, ...also) =>
      removed({ ...at(operator), condition: '#view = :view', values: { ':view': id } }, ...also),
  }
}
