import { shards } from '../ids.ts'
import { iso } from '../time.ts'
import { type LookPorts, lookAt, lookDaily } from './look.ts'

const everyShard = Array.from({ length: shards }, (_, shard) => shard)

/**
 * Looks after every wallet that is due: holds nobody settled expire and say so in the ledger, days that ended are added
 * up, owners are warned. One that fails keeps no other from its turn. @throws AggregateError of what failed
 */
export async function sweepWallets(deps: LookPorts, nowMs: number): Promise<void> {
  const due = await Promise.all(everyShard.map((shard) => deps.wallets.due(shard, nowMs)))
  const failed: unknown[] = []
  const each = async <T>(items: readonly T[], act: (item: T) => Promise<unknown>) => {
    for (const item of items) await act(item).catch((error: unknown) => failed.push(error))
  }
  await Promise.all(
    due.map(async ({ holds, used, looks }) => {
      await each(holds, async ({ userId, callId, hold }) => {
        const line = await deps.wallets.expire(userId, callId, hold, iso(nowMs))
        const data = { callId, amountMicros: 0, heldMicros: hold.micros, settledBecause: 'expired' }
        if (line) await deps.events.record(userId, 'wallet.charged', data)
      })
      await each(looks, (look) => lookDaily(deps, look, nowMs))
      const looked = new Set(looks.map(({ userId }) => userId))
      const others = used.filter((userId) => !looked.has(userId))
      await each(others, (userId) => lookAt(deps, userId, { refused: false, rate: null }, nowMs))
    }),
  )
  const first = failed[0] instanceof Error ? failed[0].message : 'no reason given'
  if (failed.length > 0) throw new AggregateError(failed, `${failed.length} wallets: ${first}`)
}
