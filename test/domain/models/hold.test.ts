import { describe, expect, test } from '@jest/globals'
import { costMicros, noUsage, pricesFor } from '../../../domain/models/cost.ts'
import { clampOutput, quoteOf } from '../../../domain/models/hold.ts'
import { isEmbedding } from '../../../domain/models/model.ts'
import { openaiChat } from '../../../domain/models/openai-chat.ts'
import { operatorPrices, pricedModels } from '../../../domain/models/prices.ts'

const model = (id: string) => pricedModels.find((model) => model.id === id) ?? fail()
const fail = (): never => {
  throw new Error('not offered')
}
const call = (more: object = {}, words = 'x') =>
  openaiChat.parseRequest(JSON.stringify({ messages: [{ role: 'user', content: words }], max_tokens: 1_000, ...more }))

describe('the hold bound', () => {
  test('includes the output of all n responses', () => {
    const single = quoteOf(call(), model('openai/gpt-5'))
    const four = quoteOf(call({ n: 4 }), model('openai/gpt-5'))
    const output = (1_000 * single.prices.output) / 1_000_000
    expect(four.boundMicros - single.boundMicros).toBeGreaterThanOrEqual(3 * output)
    expect(clampOutput(four, single.boundMicros)).toBeLessThan(1_000)
  })

  test('uses the long-context prices for an input that may reach that tier', () => {
    const sonnet = { ...model('anthropic/claude-sonnet-4-5'), contextTokens: 1_000_000 }
    const quote = quoteOf(call({}, 'x'.repeat(300_000)), sonnet)
    const usage = { ...noUsage, input: 300_000, output: 1_000 }
    expect(quote.prices.input).toBe(sonnet.longContext?.prices.input)
    expect(costMicros(usage, pricesFor(sonnet, 300_000))).toBeLessThanOrEqual(quote.boundMicros)
  })

  test('uses the price of cache writes for all input when it is higher', () => {
    const haiku = model('anthropic/claude-haiku-4-5')
    const quote = quoteOf(call({}, 'x'.repeat(10_000)), haiku)
    expect(haiku.prices.cacheWrite).toBeGreaterThan(haiku.prices.input)
    expect(costMicros({ ...noUsage, cacheWrite: 10_000, output: 1_000 }, haiku.prices)).toBeLessThanOrEqual(
      quote.boundMicros,
    )
  })

  test('treats a price of zero as unknown', () => {
    expect(operatorPrices({ input: 0, output: 0 }, false, false)).toBeNull()
    expect(
      pricedModels.every((model) => model.prices.input > 0 && (model.prices.output > 0 || isEmbedding(model))),
    ).toBe(true)
  })
})
