import type { Trigger } from '../chat/message.ts'
import { iso } from '../time.ts'
import type { UsageReceipt } from '../wallet/ledger.ts'
import type { ModelCall } from './api-format.ts'
import {
  costMicros as costOf,
  estimateTokens,
  inputTokensOf,
  knowsInput,
  noUsage,
  pricesFor,
  type Usage,
} from './cost.ts'
import type { FailureReason } from './failure.ts'
import type { PricedModel, UnitPrices } from './model.ts'
import type { Turn } from './trigger.ts'
import type { MeteredUsage } from './usage-meter.ts'

interface Settlement {
  usage: Usage
  prices: UnitPrices
  /** µUSD: the report, or the count, which never exceeds the hold. */
  costMicros: number
  because: UsageReceipt['settledBecause']
  /** µUSD of it above the hold: the wallet pays it as far as it can. */
  aboveHoldMicros: number
}

/** `broken`: by the provider. `cut-off`: by the caller's side. `failed`: before any output went out. */
export type AnswerEnd = 'whole' | 'broken' | 'cut-off' | 'failed'

/**
 * The cost is the provider's report if it covers the call, else input and counted output. A cut-off answer's input is
 * paid for, because the provider had read it. A call that failed, or that its provider broke off, before any output
 * costs nothing.
 */
export function settlementOf(
  call: ModelCall,
  model: PricedModel,
  heldMicros: number,
  { reported, final, countedOutput, countedSearches, unreadBytes }: MeteredUsage,
  end: AnswerEnd,
): Settlement {
  const settle = (usage: Usage, because: Settlement['because']): Settlement => {
    const prices = pricesFor(model, inputTokensOf(usage))
    const cost = costOf(usage, prices) + usage.searches * (model.searchMicros ?? 0)
    const costMicros = because === 'usage' ? cost : Math.min(cost, heldMicros)
    return { usage, prices, costMicros, because, aboveHoldMicros: Math.max(0, costMicros - heldMicros) }
  }
  if (end === 'failed') return settle(noUsage, 'upstream-error')
  if (reported && final) {
    const usage = { ...noUsage, searches: countedSearches, ...reported }
    // A provider that does not report the cache's duration keeps it as long as requested.
    const cacheWriteHour = call.hourCache ? (reported.cacheWriteHour ?? usage.cacheWrite) : usage.cacheWriteHour
    return settle({ ...usage, cacheWriteHour }, 'usage')
  }
  if (end !== 'cut-off' && countedOutput === 0 && !reported?.output) return settle(noUsage, 'upstream-error')
  const known = { ...noUsage, ...reported, searches: Math.max(countedSearches, reported?.searches ?? 0) }
  const output = Math.max(known.output, countedOutput)
  const input = countInput(call, model)
  const because = unreadBytes > 0 ? 'unread' : end === 'whole' ? 'counted' : 'interrupted'
  return settle(reported && knowsInput(reported) ? { ...known, output } : { ...known, input, output }, because)
}

/**
 * µUSD that a provider bills for a call without output. An answer that is too large for us counts as the whole hold.
 */
export function unpaidMicrosOf(
  call: ModelCall,
  model: PricedModel,
  heldMicros: number,
  metered: MeteredUsage,
  reason: FailureReason,
): number {
  if (reason === 'too-large') return heldMicros
  const hasRead = reason === 'time-up' || reason === 'stopped'
  return settlementOf(call, model, heldMicros, metered, hasRead ? 'cut-off' : 'broken').costMicros
}

export const countInput = (
  { textBytes, images }: Pick<ModelCall, 'textBytes' | 'images'>,
  model: PricedModel,
): number => estimateTokens(textBytes) + images * (model.imageTokens ?? 0)

/** Times in ms since 1970. */
interface ReceiptFacts {
  callId: string
  heldMicros: number
  trigger: Trigger
  turn: Pick<Turn, 'promptId' | 'conversation' | 'child'> | undefined
  tokenId: string | undefined
  startedMs: number
  firstByteMs: number | null
  endedMs: number
}

export const receiptOf = (model: PricedModel, settlement: Settlement, facts: ReceiptFacts): UsageReceipt => ({
  callId: facts.callId,
  model: model.id,
  provider: model.provider,
  priceVersion: model.priceVersion,
  inputTokens: settlement.usage.input,
  cachedInputTokens: settlement.usage.cachedInput,
  cacheWriteTokens: settlement.usage.cacheWrite,
  ...(settlement.usage.cacheWriteHour > 0 && { cacheWriteHourTokens: settlement.usage.cacheWriteHour }),
  ...(settlement.usage.searches > 0 && { searches: settlement.usage.searches, searchMicros: model.searchMicros ?? 0 }),
  outputTokens: settlement.usage.output,
  reasoningTokens: settlement.usage.reasoning,
  unitPrices: settlement.prices,
  markup: model.markup,
  heldMicros: facts.heldMicros,
  settledMicros: settlement.costMicros,
  settledBecause: settlement.because,
  trigger: facts.trigger,
  ...(facts.turn?.promptId && { promptId: facts.turn.promptId }),
  ...(facts.turn?.conversation && { conversation: facts.turn.conversation }),
  ...(facts.turn?.child && { child: facts.turn.child }),
  ...(facts.tokenId && { tokenId: facts.tokenId }),
  startedAt: iso(facts.startedMs),
  firstByteMs: facts.firstByteMs === null ? null : facts.firstByteMs - facts.startedMs,
  durationMs: facts.endedMs - facts.startedMs,
})
