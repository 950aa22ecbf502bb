import type { StoredIntent } from '../../domain/outbox.ts'
import { minuteMs } from '../../domain/time.ts'
import { type ReopenPorts, reopenAccount } from '../account/sign-in.ts'
import { closeBilling } from '../billing/close.ts'
import { type ErasePorts, finishErasure } from '../chat/erase-conversation.ts'
import { removeUnused } from '../files/restore-points.ts'
import { syncTimer } from '../instance/schedules.ts'
import { wakeFor } from '../instance/wake.ts'
import type { Payments } from '../ports/billing.ts'
import type { RestorePoints, Storage } from '../ports/files.ts'
import type { Hooks } from '../ports/hooks.ts'
import type { Schedules, Timers } from '../ports/instance.ts'
import type { Mail } from '../ports/notifications.ts'
import type { Intents } from '../ports/outbox.ts'
import type { Leases } from '../ports/rates.ts'
import type { Tokens } from '../ports/tokens.ts'
import type { Webhooks } from '../ports/webhooks.ts'
import { dueInShards, sweep } from '../sweep.ts'
import { endToken } from '../tokens/leak.ts'
import { mailTokensMade } from '../tokens/tell-owner.ts'
import { startTrialInstance } from '../trial/start-trial.ts'
import { mailDisabledEndpoint } from '../webhooks/mail-disabled.ts'

type FollowUpPorts = ReopenPorts &
  ErasePorts & {
    outbox: Intents
    mail: Mail
    schedules: Schedules
    timers: Timers
    tokens: Tokens
    hooks: Hooks
    webhooks: Webhooks
    restorePoints: RestorePoints
    storage: Storage
    leases: Leases
    payments: Payments
  }

/** A failed follow-up is retried after this, ms; a sweep has ended by then. */
const claimMs = 5 * minuteMs

/** Runs overdue follow-ups, each once among concurrent sweeps. @throws AggregateError of the failed ones */
export async function sweepOutbox(deps: FollowUpPorts, nowMs: number): Promise<void> {
  const due = await dueInShards((shard) => deps.outbox.due(shard, nowMs))
  await sweep(due, 'intents', async (each) => {
    const stored = await deps.outbox.claim(each, nowMs + claimMs)
    if (!stored) return
    await runIntent(deps, stored)
    await deps.outbox.remove(stored)
  })
}

function runIntent(deps: FollowUpPorts, { userId, intent }: StoredIntent): Promise<unknown> {
  switch (intent.kind) {
    case 'mail':
      return deps.mail.send(intent)
    case 'timer':
      return syncTimer(deps, userId, intent.scheduleId)
    case 'schedule-run':
      return deps.schedules.recordRun(userId, intent.scheduleId, intent.run)
    case 'revoke':
      return endToken(deps, intent.tokenId, deps.clock.now())
    case 'endpoint-disabled':
      return mailDisabledEndpoint(deps, userId, intent)
    case 'tokens-made':
      return mailTokensMade(deps, userId, intent.day)
    case 'prune':
      return removeUnused(deps, userId, intent.instanceId)
    case 'wake':
      return wakeFor(deps, userId, intent.reason)
    case 'wanted':
      return deps.bus.publish('instance.wanted', userId)
    case 'close-billing':
      return closeBilling(deps, userId)
    case 'trial':
      return startTrialInstance(deps, userId)
    case 'erase-conversation':
      return finishErasure(deps, userId, intent.conversation, deps.clock.now())
    case 'reopen':
      return reopenAccount(deps, userId)
  }
}
