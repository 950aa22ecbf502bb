import type { Suspensions } from '../../../app/ports/operator.ts'
import { iso } from '../../../domain/time.ts'
import type { Env } from '../../env.ts'
import { plainDelete } from '../calls.ts'
import { toItem } from '../item.ts'
import { partOf } from '../part.ts'

/** One item per suspended user. */
export const suspendedList = 'suspended'

export const suspensions = (env: Env): Suspensions => ({
  add: (userId, nowMs) => partOf([{ Put: suspensionPut(env.table('console'), userId, nowMs) }]),

  remove: (userId) => partOf([{ Delete: plainDelete(env.table('console'), { list: suspendedList, id: userId }) }]),
})

export const suspensionPut = (table: string, userId: string, nowMs: number) => ({
  TableName: table,
  Item: toItem({ list: suspendedList, id: userId, at: iso(nowMs) }),
})
