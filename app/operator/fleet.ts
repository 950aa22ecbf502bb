import { countStates, isAwake, isStuck, type MachineTotals } from '../../domain/operator/machine.ts'
import type { Fleet } from '../ports/operator.ts'

/** Most machines read in each of the sixteen shards, and most failed ones. */
const perShard = 100
const mostFailed = 100

export async function readFleet({ fleet }: { fleet: Fleet }, nowMs: number) {
  const [awake, failed] = await Promise.all([fleet.awake(perShard), fleet.failed(mostFailed)])
  return {
    stuck: awake.instances.filter(({ record, dueMs }) => isStuck(record, dueMs, nowMs)),
    failed: failed.instances,
    counts: countStates([...awake.instances, ...failed.instances].map(({ record }) => record)),
    awake: awake.instances.filter(({ record }) => isAwake(record)).length,
    complete: !awake.more && !failed.more,
  }
}

export async function fleetTotals(deps: { fleet: Fleet }, nowMs: number): Promise<MachineTotals> {
  const { awake, failed, stuck, complete } = await readFleet(deps, nowMs)
  return { awake, failed: failed.length, stuck: stuck.length, complete }
}
