import { standIns } from './catalogue.ts'
import type { ModelCall } from './dialect.ts'
import type { PricedModel, UnitPrices } from './model.ts'
import { canTake, type Quote, quoteOf } from './settlement.ts'

/** Ids of models that are the same one elsewhere. */
export const standInsOf = (model: Pick<PricedModel, 'id'>): readonly string[] =>
  Object.hasOwn(standIns, model.id) ? (standIns[model.id] ?? []) : []

const kinds = ['input', 'cachedInput', 'cacheWrite', 'output'] as const satisfies readonly (keyof UnitPrices)[]

/** True when a call may go to another model under the hold made for the first: it takes the call and nothing is dearer. */
export function mayStandIn(call: ModelCall, first: Quote, candidate: PricedModel): boolean {
  if (!canTake(call, candidate)) return false
  const quote = quoteOf(call, candidate)
  return quote.inputTokens <= first.inputTokens && kinds.every((kind) => quote.prices[kind] <= first.prices[kind])
}

/** The output limit of a call that goes to another model. */
export const standInOutput = (outputTokens: number, candidate: PricedModel): number =>
  Math.min(outputTokens, candidate.maxOutputTokens ?? outputTokens)
