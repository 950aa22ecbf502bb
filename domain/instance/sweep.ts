import { shards } from '../ids.ts'
import { type DrivePorts, drive } from './drive.ts'

const everyShard = Array.from({ length: shards }, (_, shard) => shard)

/** Instances looked after at once: the host of machines limits how fast it may be asked. */
const atOnce = 8

/** Looks after every instance whose deadline has passed. @throws AggregateError of what failed */
export async function sweepInstances(deps: DrivePorts, nowMs: number): Promise<void> {
  const overdue = (await Promise.all(everyShard.map((shard) => deps.instances.overdue(shard, nowMs)))).flat()
  const results: PromiseSettledResult<void>[] = []
  for (let from = 0; from < overdue.length; from += atOnce) {
    const some = overdue.slice(from, from + atOnce)
    results.push(...(await Promise.allSettled(some.map((userId) => drive(deps, userId, nowMs)))))
  }
  throwFailures(results, 'instances')
}

function throwFailures(results: PromiseSettledResult<void>[], what: string): void {
  const reasons = results.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
  const first = reasons[0] instanceof Error ? reasons[0].message : 'no reason given'
  if (reasons.length > 0) throw new AggregateError(reasons, `${reasons.length} of ${results.length} ${what}: ${first}`)
}
