import type { StoredIntent } from '../../domain/outbox.ts'
import { removeUnused } from '../files/restore-points.ts'
import { setTimer } from '../instance/schedules.ts'
import { tellReconciler, wake } from '../instance/wake.ts'
import type { Basics, Ports } from '../ports.ts'
import { dueInShards, sweep } from '../sweep.ts'
import { endToken } from '../tokens/leak.ts'
import { type FollowUp, sendMail } from './commit.ts'

export type OutboxPorts = Pick<
  Ports,
  'outbox' | 'mail' | 'schedules' | 'timers' | 'tokens' | 'events' | 'restorePoints' | 'storage' | 'instances' | 'bus'
> &
  Basics

/** Does what nobody has done in time. @throws AggregateError of what failed, which waits for as long again as it has */
export async function sweepOutbox(deps: OutboxPorts, nowMs: number): Promise<void> {
  const due = await dueInShards((shard) => deps.outbox.due(shard, nowMs))
  await sweep(due, 'intents', async (stored) => {
    await deps.outbox.postpone(stored, nowMs + (nowMs - stored.createdMs))
    await followUpOf(deps, stored).run()
    await deps.outbox.remove(stored)
  })
}

function followUpOf(deps: OutboxPorts, { userId, intent }: StoredIntent): FollowUp {
  switch (intent.kind) {
    case 'mail':
      return sendMail(deps, intent)
    case 'timer':
      return setTimer(deps, userId, intent.scheduleId)
    case 'revoke':
      return { intent, run: () => endToken(deps, intent.tokenId, deps.clock.now()) }
    case 'prune':
      return { intent, run: () => removeUnused(deps, userId, intent.instanceId) }
    case 'wake':
      return wake(deps, userId, intent.reason)
    case 'wanted':
      return tellReconciler(deps, userId)
  }
}
