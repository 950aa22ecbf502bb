import { AsyncLocalStorage } from 'node:async_hooks'

/** A write of a store in memory: its conditions, and its effect. */
export interface Write {
  holds(): boolean
  write(): void
}

interface Carried {
  writes: Write[]
}

const carried = new AsyncLocalStorage<Carried>()

/** Runs `act`, whose first write includes these writes, as `writeAlong` of the DynamoDB adapters does. */
export const along = <T>(write: Write, act: () => Promise<T>): Promise<T> => carried.run({ writes: [write] }, act)

/** Does all writes, or none if a condition does not hold. */
export function transact(...own: Write[]): boolean {
  const context = carried.getStore()
  const taken = context?.writes ?? []
  if (!own.every((each) => each.holds())) return false
  if (!taken.every((each) => each.holds())) throw new Error('what was carried along was refused')
  if (context) context.writes = []
  for (const each of [...own, ...taken]) each.write()
  return true
}

export const always = (write: () => void): Write => ({ holds: () => true, write })
