import { AsyncLocalStorage } from 'node:async_hooks'
import type { TransactWriteItem } from '@aws-sdk/client-dynamodb'

/** The transaction was refused by a record it carried, and nothing was written. */
export class CarriedRefused extends Error {}

interface Carried {
  items: TransactWriteItem[]
  written: boolean
}

const carried = new AsyncLocalStorage<Carried>()

/**
 * Does `act`, whose first write that is done takes these items along in one transaction. A write that is refused leaves
 * them to the next. One inside another is one transaction. `written` is false when nothing was written.
 */
export async function writeAlong<T>(
  items: TransactWriteItem[],
  act: () => Promise<T>,
): Promise<{ result: T; written: boolean }> {
  const outer = carried.getStore()
  const taken = outer?.items ?? []
  if (outer) outer.items = []
  const context: Carried = { items: [...items, ...taken], written: false }
  try {
    const result = await carried.run(context, act)
    return { result, written: context.written }
  } finally {
    if (outer && context.written) outer.written = true
    else if (outer) outer.items = taken
  }
}

/** Gives a write what it is to take along; nothing outside of `writeAlong`, and to all but the first. */
export async function carrying<T extends { done: boolean }>(
  write: (along: TransactWriteItem[]) => Promise<T>,
): Promise<T> {
  const context = carried.getStore()
  if (!context || context.items.length === 0) return write([])
  const { items } = context
  // Writes at the same time go without.
  context.items = []
  let done = false
  try {
    const written = await write(items)
    done = written.done
    return written
  } finally {
    if (done) context.written = true
    else context.items = items
  }
}
