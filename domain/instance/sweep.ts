import { shards } from '../ids.ts'
import type { Ports } from '../ports.ts'
import { iso } from '../time.ts'
import type { UsageReceipt } from '../wallet/wallet.ts'
import { type DrivePorts, drive } from './drive.ts'

const everyShard = Array.from({ length: shards }, (_, shard) => shard)

/** Instances looked after at once: the host of machines limits how fast it may be asked. */
const atOnce = 8

/** Everything that time brings. One part that fails keeps no other from its turn. @throws AggregateError of what failed */
export async function sweepAll(deps: DrivePorts & Pick<Ports, 'wallets'>, nowMs: number): Promise<void> {
  const results = await Promise.allSettled([sweepInstances(deps, nowMs), sweepHolds(deps, nowMs)])
  throwFailures(results, 'parts of the sweep')
}

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

/**
 * Gives back every hold that nobody settled: the call was cut long ago and nothing is known of its usage, so nothing
 * is charged. A settlement that comes later finds no hold.
 */
export async function sweepHolds(deps: Pick<Ports, 'wallets' | 'events'>, nowMs: number): Promise<void> {
  const overdue = (await Promise.all(everyShard.map((shard) => deps.wallets.overdueHolds(shard, nowMs)))).flat()
  for (const { userId, callId, micros } of overdue) {
    const line = { description: 'Model call without an end', receipt: expired(callId, micros, nowMs), at: iso(nowMs) }
    await deps.wallets.settle(userId, callId, 0, line, null)
    const data = { callId, amountMicros: 0, heldMicros: micros, settledBecause: 'expired' }
    await deps.events.record(userId, 'wallet.charged', data)
  }
}

const expired = (callId: string, heldMicros: number, nowMs: number): UsageReceipt => ({
  callId,
  model: 'unknown',
  provider: 'unknown',
  priceVersion: 'unknown',
  inputTokens: 0,
  cachedInputTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 0,
  reasoningTokens: 0,
  unitPrices: { input: 0, cachedInput: 0, cacheWrite: 0, output: 0 },
  markup: 0,
  heldMicros,
  settledMicros: 0,
  settledBecause: 'expired',
  trigger: 'chat',
  startedAt: iso(nowMs),
  firstByteMs: null,
  durationMs: 0,
})
