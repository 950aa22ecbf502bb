import { iso } from '../time.ts'
import type { Hold } from './hold.ts'
import type { UsageReceipt } from './wallet.ts'

/** The receipt of a hold that nobody settled: of the call itself nothing is known. */
export const expiredReceipt = (callId: string, hold: Hold, startedMs: number, endedMs: number): UsageReceipt => ({
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
  heldMicros: hold.micros,
  settledMicros: 0,
  settledBecause: 'expired',
  trigger: hold.trigger,
  startedAt: iso(startedMs),
  firstByteMs: null,
  durationMs: endedMs - startedMs,
})
