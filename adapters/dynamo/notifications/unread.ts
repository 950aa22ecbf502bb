import { clause, itemAt } from '../expressions.ts'

/** One item has an attribute for each unread id, so that one read counts them. */
export const unreadItem = 'unread'

export function remembering(table: string, userId: string, add: readonly string[], forget: readonly string[]) {
  const sets = add.map((_, i) => `#a${i} = :true`)
  const removes = forget.map((_, i) => `#f${i}`)
  const named = [...add.map((id, i) => [`#a${i}`, id]), ...forget.map((id, i) => [`#f${i}`, id])]
  return {
    ...itemAt(table, { userId, item: unreadItem }),
    update: `${clause('SET', sets)}${clause('REMOVE', removes)}`,
    names: Object.fromEntries(named) as Record<`#${'a' | 'f'}${number}`, string>,
    ...(sets.length > 0 && { values: { ':true': true } }),
  } as const
}
