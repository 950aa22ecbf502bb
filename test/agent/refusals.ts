import { DomainError, providerError, rateLimited } from '../../domain/errors.ts'
import { ProviderRefusal } from '../../domain/models/provider-refusal.ts'
import { checkStops } from '../../domain/operator/stops.ts'
import { decideHold, type HoldRequest } from '../../domain/wallet/holds.ts'
import { hourOf, maxUnpaidMicros, newCaps } from '../../domain/wallet/limits.ts'
import { newWallet, type WalletState } from '../../domain/wallet/state.ts'

/** Half past nine: too many failed calls rest for half an hour. */
const nowMs = Date.parse('2026-11-26T09:30:00Z')
const call: HoldRequest = { boundMicros: 50_000, minimumMicros: 20_000, generation: 1 }

const thrownBy = (run: () => unknown): DomainError => {
  try {
    run()
  } catch (thrown) {
    if (thrown instanceof DomainError) return thrown
    throw thrown
  }
  throw new Error('nothing was refused')
}

const wallet = (more: Partial<WalletState>, ask: Partial<HoldRequest> = {}): DomainError =>
  thrownBy(() => {
    const state = { ...newWallet('usr_1'), generation: 1, available: 3_220_000, total: 3_220_000, ...more }
    // safe because `ask` names a token only in place of the generation
    decideHold(state, { ...call, ...ask } as HoldRequest, nowMs)
  })

const at = '2026-11-26T09:00:00Z'
const model = { id: 'openai/gpt-5.2', provider: 'openai', upstreamModel: 'gpt-5.2' }
const stopped = { 'model#openai/gpt-5.2': { reason: 'priced wrong', at, by: null } }
const token = { tokenId: 'tok_1', name: 'Laptop', caps: { total: null, day: 10_000, month: null }, above: [] }

/** Each refusal of a model call, made by the service’s own rules, with the outcome of its turn. */
export const refusals: readonly (readonly [name: string, error: DomainError, outcome: 'needs_input' | 'failed'])[] = [
  ['empty', wallet({ available: 0, total: 0 }), 'needs_input'],
  ['too little', wallet({ available: 4_000, total: 4_000 }), 'needs_input'],
  ['owes', wallet({ available: 0, total: -2_000_000, owed: 2_000_000 }), 'needs_input'],
  ['spending limit of a day', wallet({ caps: { ...newCaps, day: 10_000 } }), 'needs_input'],
  ['spending limit of messages', wallet({ caps: { ...newCaps, chat: 10_000 } }), 'needs_input'],
  ['spending limit of a token', wallet({}, { generation: undefined, budget: token } as object), 'needs_input'],
  ['suspended', wallet({ frozen: 'fraud' }), 'needs_input'],
  ['too many failed calls', wallet({ unpaid: { [hourOf(nowMs)]: maxUnpaidMicros } }), 'failed'],
  ['stopped model', thrownBy(() => checkStops(stopped, 'usr_1', model)), 'failed'],
  ['rate limit', rateLimited(7), 'failed'],
  ['busy provider', new ProviderRefusal(429, 'rate_limit_exceeded', null, 12_000), 'failed'],
  ['provider', providerError(), 'failed'],
]

/** The refusal’s words in a chat: the service’s own, but for an instruction to programs. */
export const wordsFor = ({ message }: DomainError): string =>
  message === providerError().message
    ? 'The model provider failed, also when I tried again. Send me your message again in a few minutes, or choose another model.'
    : message
