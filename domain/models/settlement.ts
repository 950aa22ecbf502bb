import type { Trigger } from '../chat/message.ts'
import { invalid } from '../errors.ts'
import { iso } from '../time.ts'
import type { UsageReceipt } from '../wallet/wallet.ts'
import type { ModelCall } from './dialect.ts'
import { fillUsage, type Metered } from './meter.ts'
import {
  affordableOutput,
  boundMicros,
  costMicros,
  defaultOutputTokens,
  estimateTokens,
  inputBound,
  inputOf,
  noUsage,
  pricesFor,
  type Usage,
} from './metering.ts'
import type { PricedModel, UnitPrices } from './model.ts'

/** What a call may cost, before it runs. */
export interface Quote {
  /** Tokens the input can be at most. */
  inputTokens: number
  /** Output limit per choice, before the hold clamps it. */
  outputTokens: number
  choices: number
  /** The dearest prices the call may turn out to have. */
  prices: UnitPrices
  boundMicros: number
  minimumMicros: number
}

/** Why a model cannot take this request; null when it can. */
function obstacle(call: ModelCall, model: PricedModel): string | null {
  if (!model.formats.includes(call.format)) {
    return `${model.id} does not speak this format; it speaks ${model.formats.join(', ')}.`
  }
  if (call.images > 0 && model.imageTokens === null)
    return `${model.id} does not take images here. Leave them out, or choose another model.`
  if (call.files > 0 && model.contextTokens === null)
    return `${model.id} does not take files here. Leave them out, or choose another model.`
  return null
}

export const canTake = (call: ModelCall, model: PricedModel): boolean => obstacle(call, model) === null

/** @throws validation when the model cannot take this request */
export function quoteOf(call: ModelCall, model: PricedModel): Quote {
  const because = obstacle(call, model)
  if (because) throw invalid('model', because)
  const bytesBound = inputBound(call.textBytes, call.images, model.imageTokens ?? 0, call.tools)
  // a page of a file may be any number of tokens, but no model reads more than its context
  const inputTokens =
    call.files > 0 ? (model.contextTokens ?? 0) : Math.min(bytesBound, model.contextTokens ?? bytesBound)
  const most = model.maxOutputTokens ?? Number.MAX_SAFE_INTEGER
  const outputTokens = Math.max(call.leastOutput, Math.min(call.outputTokens ?? defaultOutputTokens, most))
  const prices = dearer(model.prices, pricesFor(model, inputTokens))
  const { choices } = call
  return {
    inputTokens,
    outputTokens,
    choices,
    prices,
    boundMicros: boundMicros(inputTokens, outputTokens, choices, prices),
    minimumMicros: boundMicros(inputTokens, call.leastOutput, choices, prices),
  }
}

const dearer = (a: UnitPrices, b: UnitPrices): UnitPrices => ({
  input: Math.max(a.input, b.input),
  cachedInput: Math.max(a.cachedInput, b.cachedInput),
  cacheWrite: Math.max(a.cacheWrite, b.cacheWrite),
  output: Math.max(a.output, b.output),
})

/** The output limit per choice that the hold pays for in every case. */
export const clampOutput = (quote: Quote, heldMicros: number): number =>
  Math.min(quote.outputTokens, affordableOutput(heldMicros, quote.inputTokens, quote.choices, quote.prices))

/** How a call ended: whole, its client left, or the provider cut it. */
export type Ending = 'whole' | 'left' | 'cut'

export interface Settlement {
  usage: Usage
  prices: UnitPrices
  /** µUSD; never above the hold. */
  costMicros: number
  because: UsageReceipt['settledBecause']
  /** µUSD the provider's report comes to above the hold: ours to bear. */
  aboveHoldMicros: number
}

/**
 * What a call costs: the provider's report when it covers the call; else input and counted output; nothing when the
 * provider made no token.
 */
export function settlementOf(
  call: ModelCall,
  model: PricedModel,
  heldMicros: number,
  metered: Metered,
  ending: Ending,
): Settlement {
  const { reported, final, countedOutput } = metered
  const settle = (usage: Usage, because: Settlement['because']): Settlement => {
    const prices = pricesFor(model, inputOf(usage))
    const cost = costMicros(usage, prices)
    const aboveHoldMicros = Math.max(0, cost - heldMicros)
    return { usage, prices, costMicros: Math.min(cost, heldMicros), because, aboveHoldMicros }
  }
  if (reported && final) return settle(fillUsage(reported), ending === 'left' ? 'interrupted' : 'usage')
  if (countedOutput === 0 && !reported?.output) return settle(noUsage, 'upstream-error')
  const known = fillUsage(reported ?? {})
  const output = Math.max(known.output, countedOutput)
  const input = estimateTokens(call.textBytes) + call.images * (model.imageTokens ?? 0)
  return settle(reported?.input === undefined ? { ...known, input, output } : { ...known, output }, 'interrupted')
}

/** Facts of a call for its receipt; times in ms since 1970. */
export interface CallFacts {
  callId: string
  heldMicros: number
  trigger: Trigger
  startedMs: number
  firstByteMs: number | null
  endedMs: number
}

export const receiptOf = (model: PricedModel, settlement: Settlement, facts: CallFacts): UsageReceipt => ({
  callId: facts.callId,
  model: model.id,
  provider: model.provider,
  priceVersion: model.priceVersion,
  inputTokens: settlement.usage.input,
  cachedInputTokens: settlement.usage.cachedInput,
  cacheWriteTokens: settlement.usage.cacheWrite,
  outputTokens: settlement.usage.output,
  reasoningTokens: settlement.usage.reasoning,
  unitPrices: settlement.prices,
  markup: model.markup,
  heldMicros: facts.heldMicros,
  settledMicros: settlement.costMicros,
  settledBecause: settlement.because,
  trigger: facts.trigger,
  startedAt: iso(facts.startedMs),
  firstByteMs: facts.firstByteMs === null ? null : facts.firstByteMs - facts.startedMs,
  durationMs: facts.endedMs - facts.startedMs,
})
