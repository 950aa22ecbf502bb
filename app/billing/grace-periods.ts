import { decideGraceStep } from '../../domain/billing/grace-period.ts'
import { filesDeleted, filesWaiting } from '../../domain/billing/mail-texts.ts'
import { isLive } from '../../domain/billing/subscription.ts'
import { isEnding } from '../../domain/instance/instance.ts'
import { dayMs, iso } from '../../domain/time.ts'
import { trialName } from '../../domain/trial/trial.ts'
import { type ChangePorts, changeInstance } from '../instance/change.ts'
import { outboxOf, sendMail } from '../outbox/outbox.ts'
import type { Users } from '../ports/account.ts'
import type { Basics } from '../ports/basics.ts'
import type { GracePeriods } from '../ports/billing.ts'
import type { Mail } from '../ports/notifications.ts'
import type { Intents } from '../ports/outbox.ts'
import { isRefusedBy } from '../ports/part.ts'
import { dueInShards, sweep } from '../sweep.ts'

type GracePeriodPorts = ChangePorts & { gracePeriods: GracePeriods; users: Users; mail: Mail; outbox: Intents } & Basics

/** Takes every due step. @throws AggregateError of the failed ones, after all were tried */
export async function sweepGracePeriods(deps: GracePeriodPorts, nowMs: number): Promise<void> {
  const due = await dueInShards((shard) => deps.gracePeriods.due(shard, nowMs))
  await sweep(due, 'ended subscriptions', (userId) => followGracePeriod(deps, userId, nowMs))
}

async function followGracePeriod(deps: GracePeriodPorts, userId: string, nowMs: number): Promise<void> {
  const [grace, user] = await Promise.all([deps.gracePeriods.find(userId), deps.users.find(userId)])
  if (!grace) return
  if (!user || isLive(user.subscription)) return void (await deps.gracePeriods.end(userId))
  const step = decideGraceStep(grace, nowMs)
  const over = grace.subscriptionId === trialName ? 'trial' : 'subscription'
  if (step.do === 'wait') return
  const fits = over !== 'trial' || (await pauseAfterTrial(deps, userId, nowMs))
  if (step.do === 'warn' && fits) {
    // Mailed before it is recorded: a duplicate is better than a missing warning.
    const deletedAt = iso(nowMs + step.daysLeft * dayMs)
    await deps.mail.send(filesWaiting(user.email, over, step.daysLeft, deletedAt, deps.settings.publicOrigin))
    await deps.gracePeriods.advance(grace, grace.warned + 1, step.nextMs)
  }
  if (step.do === 'delete' || !fits) {
    const record = await deps.instances.find(userId)
    const isLeft = record !== null && !isEnding(record)
    const letter = sendMail(deps, filesDeleted(user.email, over, fits))
    const outbox = outboxOf(deps, userId, [letter], isLeft ? [deps.gracePeriods.endOf(grace)] : [])
    if (isLeft) {
      const removal = changeInstance(deps, userId, 'delete', 'billing', nowMs, () => outbox)
      // A new subscription meanwhile ends the grace period, and then nothing is deleted.
      await isRefusedBy(outbox, removal)
    } else await deps.gracePeriods.end(userId, outbox)
    if (outbox.isWritten) await outbox.flush()
  }
}

/** Also if it was stopped before. False when the files exceed what is kept after a trial. */
async function pauseAfterTrial(deps: GracePeriodPorts, userId: string, nowMs: number): Promise<boolean> {
  const record = await deps.instances.find(userId)
  if (!record || isEnding(record)) return true
  if (record.overPlanSince !== null) return false
  await changeInstance(deps, userId, 'suspend', 'billing', nowMs)
  return true
}
