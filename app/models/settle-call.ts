import type { Trigger } from '../../domain/chat/message.ts'
import { informEveryMs, settleRetryWaitsMs } from '../../domain/models/call-limits.ts'
import { isProvidersFault } from '../../domain/models/failure.ts'
import { receiptOf, settlementOf } from '../../domain/models/settlement.ts'
import { Throttle } from '../../domain/models/throttle.ts'
import { iso } from '../../domain/time.ts'
import type { UsageLine } from '../ports/wallet.ts'
import type { BilledCall, CallPorts } from './billed-call.ts'

/** Throttles the event after a charge, and the machine's activity, per user. */
const informed = new Throttle(informEveryMs)

/** Settles a call once for its usage, and releases the rest of its hold. */
export function settleCall(billed: BilledCall): Promise<void> {
  billed.stopRechecks()
  billed.settled ??= settle(billed)
  return billed.settled
}

async function settle(billed: BilledCall): Promise<void> {
  const { deps, facts, carried, model, meter, firstByteMs, end, failure } = billed
  const { call, callId, held, trigger, turn, spender, now: startedMs } = facts
  const { micros: heldMicros } = held
  const settlement = settlementOf(call, model, heldMicros, meter.usage, end)
  const endedMs = deps.clock.now()
  const isOutage = end === 'failed' && failure !== null && isProvidersFault(failure)
  deps.alarms.measure('ModelCallFailed', isOutage ? 1 : 0)
  if (settlement.aboveHoldMicros > 0)
    deps.alarms.raise('CostAboveHoldMicros', settlement.aboveHoldMicros, { model: model.id, callId, carried })
  if (settlement.because === 'unread') deps.alarms.measure('AnswerUnread', 1, { model: model.id })
  const unpaidMicros = end === 'failed' && failure ? billed.unpaidMicrosOf(failure) : 0
  if (unpaidMicros > 0)
    deps.alarms.raise('FailedCallMicros', unpaidMicros, { model: model.id, callId, reason: failure ?? '' })
  const receipt = receiptOf(model, settlement, {
    callId,
    heldMicros,
    trigger,
    turn,
    tokenId: spender.budget?.tokenId,
    startedMs,
    firstByteMs,
    endedMs,
  })
  const above = spender.budget?.above.map(({ tokenId }) => tokenId)
  const failed = end === 'failed' && failure ? { failure: { reason: failure, unpaidMicros } } : {}
  const line = { description: model.id, receipt, ...(above && { above }), ...failed, at: iso(endedMs) }
  await write(deps, facts, settlement.costMicros, line, endedMs)
}

const unattended = new Set<Trigger>(['schedule', 'heartbeat'])

/** The receipt is written first; later steps only inform, and may fail without harm. */
async function write(
  { wallets, events, instances, clock, alarms }: CallPorts,
  { userId, spender, callId, held, trigger }: BilledCall['facts'],
  costMicros: number,
  line: UsageLine,
  nowMs: number,
): Promise<void> {
  const inform = informed.due(userId, nowMs)
  // People's own programs keep no machine awake.
  const touched =
    inform &&
    !spender.budget &&
    instances.touch(userId, line.at, unattended.has(trigger) ? 'nobody' : 'person').catch(() => {})
  const written = await retried(clock, () => wallets.settle(userId, callId, costMicros, line, held.total)).catch(
    (error) => {
      alarms.raise('SettlementFailed', 1, { callId, userId, costMicros })
      throw error
    },
  )
  if (written && inform) {
    const { amountMicros, balanceMicros } = written
    await events.record(userId, 'wallet.charged', { callId, amountMicros, balanceMicros }).catch(() => {})
  }
  await touched
}

async function retried<T>(clock: CallPorts['clock'], attempt: () => Promise<T>): Promise<T> {
  for (const waitMs of settleRetryWaitsMs) {
    try {
      return await attempt()
    } catch {
      await clock.sleep(waitMs)
    }
  }
  return attempt()
}
