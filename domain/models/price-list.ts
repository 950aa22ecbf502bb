// Generated from the catalogue and the vendor's list by "npm run generate"; do not edit.
import type { ListPrice } from './model.ts'

/** The day whose prices these are. */
export const priceDay = '2026-11-21'

/** Names this list on receipts. */
export const priceListVersion = 'genai-prices-0.1.8-2026-11-21'

/** US dollars per million tokens, without markup. */
export const priceList: Readonly<Record<string, ListPrice>> = {
  'anthropic/claude-sonnet-4-6': { input: 3, cachedInput: 0.3, cacheWrite: 3.75, output: 15 },
  'anthropic/claude-haiku-4-5': { input: 1, cachedInput: 0.1, cacheWrite: 1.25, output: 5 },
  'anthropic/claude-sonnet-4-5': {
    input: 3,
    cachedInput: 0.3,
    cacheWrite: 3.75,
    output: 15,
    long: { aboveTokens: 200000, input: 6, cachedInput: 0.6, cacheWrite: 7.5, output: 22.5 },
  },
  'anthropic/claude-opus-4-6': { input: 5, cachedInput: 0.5, cacheWrite: 6.25, output: 25 },
  'openai/gpt-5-mini': { input: 0.25, cachedInput: 0.025, cacheWrite: 0.25, output: 2 },
  'openai/gpt-5': { input: 1.25, cachedInput: 0.125, cacheWrite: 1.25, output: 10 },
  'openai/gpt-5-nano': { input: 0.05, cachedInput: 0.005, cacheWrite: 0.05, output: 0.4 },
  'openai/gpt-5.4': {
    input: 2.5,
    cachedInput: 0.25,
    cacheWrite: 2.5,
    output: 15,
    long: { aboveTokens: 271999, input: 5, cachedInput: 0.5, cacheWrite: 5, output: 22.5 },
  },
  'openai/gpt-4.1': { input: 2, cachedInput: 0.5, cacheWrite: 2, output: 8 },
  'openai/gpt-4.1-mini': { input: 0.4, cachedInput: 0.1, cacheWrite: 0.4, output: 1.6 },
  'bedrock/global.anthropic.claude-sonnet-4-5-20250929-v1:0': {
    input: 3,
    cachedInput: 0.3,
    cacheWrite: 3.75,
    output: 15,
  },
  'bedrock/global.anthropic.claude-haiku-4-5-20251001-v1:0': {
    input: 1,
    cachedInput: 0.1,
    cacheWrite: 1.25,
    output: 5,
  },
  'bedrock/openai.gpt-oss-120b-1:0': { input: 0.15, cachedInput: 0.15, cacheWrite: 0.15, output: 0.6 },
  'bedrock/openai.gpt-oss-20b-1:0': { input: 0.07, cachedInput: 0.07, cacheWrite: 0.07, output: 0.3 },
  'openrouter/anthropic/claude-sonnet-4.5': {
    input: 3,
    cachedInput: 0.3,
    cacheWrite: 3.75,
    output: 15,
    long: { aboveTokens: 200000, input: 6, cachedInput: 0.6, cacheWrite: 7.5, output: 22.5 },
  },
  'openrouter/openai/gpt-5-mini': { input: 0.25, cachedInput: 0.025, cacheWrite: 0.25, output: 2 },
  'openrouter/google/gemini-2.5-flash': { input: 0.3, cachedInput: 0.075, cacheWrite: 0.3833, output: 2.5 },
}
