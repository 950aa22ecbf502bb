import type { TransactWriteItem } from '@aws-sdk/client-dynamodb'
import { type Part, PartRefused } from '../../app/ports/part.ts'

/** @param refusal the error when only an item of this part refuses the transaction */
export const partOf = (writes: readonly TransactWriteItem[], refusal?: () => Error): Part => ({
  items: writes.map((write) => ({ write, ...(refusal && { refusal }) })),
  isWritten: false,
})

/** @throws when a part was written before: a caller gave one outbox to two changes */
export function writesOf(parts: readonly Part[]): TransactWriteItem[] {
  if (parts.some(({ isWritten, items }) => isWritten && items.length > 0))
    throw new Error('a part of this transaction was written before')
  // safe because only `partOf` and the adapters of the outbox make items
  return parts.flatMap(({ items }) => items.map(({ write }) => write as TransactWriteItem))
}

export function noteWritten(parts: readonly Part[]): void {
  for (const part of parts) part.isWritten = true
}

/** @param refused per item of the parts: undefined if its condition held */
export function refusalOf(parts: readonly Part[], refused: readonly unknown[]): Error {
  const items = parts.flatMap((part) => part.items.map(({ refusal }) => ({ part, refusal })))
  const first = items.find((_, at) => refused[at] !== undefined)
  if (!first) throw new Error('a transaction was refused by none of its items')
  return first.refusal?.() ?? new PartRefused(first.part)
}
