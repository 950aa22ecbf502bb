import { shards } from '../domain/ids.ts'

export const everyShard: readonly number[] = Array.from({ length: shards }, (_, shard) => shard)

export const dueInShards = async <T>(due: (shard: number) => Promise<T[]>): Promise<T[]> =>
  (await Promise.all(everyShard.map(due))).flat()

/** Does `act` for every item, `atOnce` at a time; a failure does not stop the others. @throws AggregateError */
export async function sweep<T>(
  items: readonly T[],
  what: string,
  act: (item: T) => Promise<unknown>,
  atOnce = 1,
): Promise<void> {
  const failed: unknown[] = []
  for (let from = 0; from < items.length; from += atOnce) {
    const results = await Promise.allSettled(items.slice(from, from + atOnce).map(act))
    failed.push(...results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : [])))
  }
  const first = failed[0] instanceof Error ? failed[0].message : 'no reason given'
  if (failed.length > 0) throw new AggregateError(failed, `${failed.length} of ${items.length} ${what}: ${first}`)
}
