import type { InstanceRecord } from '../../domain/instance/instance.ts'
import { isMissed } from '../../domain/operator/machine.ts'
import { secondMs } from '../../domain/time.ts'
import type { Clock } from '../ports/basics.ts'
import type { Instances, Sweeps } from '../ports/instance.ts'
import type { Leases } from '../ports/rates.ts'
import { everyShard, sweep } from '../sweep.ts'
import { type ReconcilePorts, reconcile } from './reconcile.ts'

/** Starts of machines of one shard at once. Fargate starts 20 machines a second, for all shards together. */
const atOnce = 4

const lookedAtTogether = 100

/**
 * A sweep begins no more instances after this, ms, so that its function does not run out of time. The oldest instances
 * come first, and the next sweep continues.
 */
const beginsFor = 50 * secondMs

/** The lease of a sweep that died expires after this; longer than its function may run. */
const sweepSlot = { max: 1, ttlMs: 150 * secondMs }

/** Starts the sweep of each shard that has an overdue instance. @throws AggregateError of those that did not start */
export async function startSweeps(
  { instances, sweeps }: { instances: Pick<Instances, 'overdue'>; sweeps: Sweeps },
  nowMs: number,
): Promise<void> {
  await sweep(
    everyShard,
    'shards',
    async (shard) => {
      const overdue = await instances.overdue(shard, nowMs, 1)
      if (overdue.length > 0) await sweeps.start(shard)
    },
    everyShard.length,
  )
}

type SweepPorts = ReconcilePorts & { leases: Leases; clock: Clock }

/** Reconciles the overdue instances of a shard, unless another sweep does. @throws AggregateError of the failed ones */
export async function sweepShard(deps: SweepPorts, shard: number, nowMs: number): Promise<void> {
  const subject = `sweep#${shard}`
  const slot = await deps.leases.acquire(subject, sweepSlot, nowMs)
  if (!slot.acquired) return
  try {
    await sweepInstances(deps, shard, nowMs)
  } finally {
    await deps.leases.release(subject, slot.id)
  }
}

async function sweepInstances(deps: SweepPorts, shard: number, nowMs: number): Promise<void> {
  const overdue = await deps.instances.overdue(shard, nowMs)
  const groups = Array.from({ length: Math.ceil(overdue.length / lookedAtTogether) }, (_, group) =>
    overdue.slice(group * lookedAtTogether, (group + 1) * lookedAtTogether),
  )
  const late: string[] = []
  const noteLate = (record: InstanceRecord) => {
    if (isLate(record, nowMs)) late.push(record.userId)
  }
  const isTimeUp = () => deps.clock.now() - nowMs > beginsFor
  const reconciled = sweep(groups, 'groups of instances', async (users) => {
    if (isTimeUp()) return
    const found = await Promise.all(users.map((userId) => deps.instances.find(userId)))
    const records = found.filter((record) => record !== null)
    const machines = await lookedAt(deps, records).catch((error) => {
      records.forEach(noteLate)
      throw error
    })
    const begin = async (record: InstanceRecord) => {
      if (isTimeUp()) return
      noteLate(record)
      await reconcile({ ...deps, machines }, record.userId, nowMs)
    }
    await sweep(records, 'instances', begin, atOnce)
  })
  await reconciled.finally(() => reportStuck(deps, late, nowMs))
}

const isLate = ({ deadlineMs }: InstanceRecord, nowMs: number): boolean => isMissed(deadlineMs ?? nowMs, nowMs)

/** Instances that were late at the last check, too, are stuck. */
async function reportStuck({ instances, alarms }: ReconcilePorts, late: string[], nowMs: number): Promise<void> {
  const records = await Promise.all(late.map((userId) => instances.find(userId)))
  const stuck = records.flatMap((record) => (record && isLate(record, nowMs) ? record.id : []))
  if (stuck.length > 0) alarms.raise('InstancesStuck', stuck.length, { instances: stuck.slice(0, 10).join(' ') })
}

/** A host whose `observe` uses one shared call for the machines of these users. */
async function lookedAt({ machines }: ReconcilePorts, records: InstanceRecord[]): Promise<ReconcilePorts['machines']> {
  const seen = await machines.observeAll(records.flatMap(({ taskArn }) => taskArn ?? []))
  return { ...machines, observe: async (taskArn) => seen.get(taskArn) ?? machines.observe(taskArn) }
}
