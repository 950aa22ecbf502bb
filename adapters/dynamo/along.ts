import { AsyncLocalStorage } from 'node:async_hooks'
import type { TransactWriteItem } from '@aws-sdk/client-dynamodb'

/** A carried record refused the transaction, so nothing was written. */
export class CarriedRefused extends Error {}

interface Carried {
  items: TransactWriteItem[]
  written: boolean
}

const carried = new AsyncLocalStorage<Carried>()

/**
 * Runs `act`. Its first successful write includes these items in its transaction; after a refused write, the next one
 * does. Nested calls share one transaction. `written` is false when nothing was written.
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

/** Passes the carried items to a write; an empty list outside of `writeAlong` and after the first write. */
export async function carrying<T extends { done: boolean }>(
  write: (along: TransactWriteItem[]) => Promise<T>,
): Promise<T> {
  const context = carried.getStore()
  if (!context || context.items.length === 0) return write([])
  const { items } = context
  // Parallel writes carry nothing.
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
