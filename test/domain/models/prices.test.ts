import { readFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { type CatalogueModel, catalogue, modelId } from '../../../domain/models/catalogue.ts'
import { isEmbedding } from '../../../domain/models/model.ts'
import { priceDay } from '../../../domain/models/price-list.ts'
import { markedUp, pricedModels, pricesOf } from '../../../domain/models/prices.ts'
import { listPriceOf, priceListFile, priceListText } from '../../../lib/build/prices.ts'

test('the committed price list matches the catalogue and the vendor’s list', () => {
  expect(readFileSync(priceListFile, 'utf8')).toBe(priceListText(priceDay))
})

test.each(pricedModels.map((model) => [model.id, model] as const))(
  '%s has a price above zero for every kind of token',
  (_id, model) => {
    for (const list of [model.prices, model.longContext?.prices ?? model.prices]) {
      for (const [kind, value] of Object.entries(list)) {
        const least = kind === 'output' && isEmbedding(model) ? 0 : 1
        expect(Number.isSafeInteger(value) && value >= least).toBe(true)
      }
    }
  },
)

test('every model of the catalogue has a price, and ids are unique', () => {
  expect(pricedModels.map(({ id }) => id)).toEqual(catalogue.map(modelId))
  expect(new Set(catalogue.map(modelId)).size).toBe(catalogue.length)
})

test('prices include the markup, in whole µUSD rounded up', () => {
  expect(pricesOf('openai/gpt-5')).toMatchObject({
    prices: { input: 1_312_500, cachedInput: 131_250, output: 10_500_000 },
    markup: 500,
  })
  expect(markedUp(0.0000001, 500)).toBe(1)
  expect(markedUp(0.1 + 0.2, 0)).toBe(300_000)
})

test('a long context has its own prices', () => {
  expect(pricesOf('anthropic/claude-sonnet-4-5')?.longContext).toMatchObject({
    aboveTokens: 200_000,
    prices: { input: 6_300_000 },
  })
})

test('our own price takes precedence and has no markup', () => {
  expect(pricesOf('local/echo')).toMatchObject({ prices: { input: 500_000, output: 1_500_000 }, markup: 0 })
})

describe('a model without a known price is not offered', () => {
  const [model] = catalogue
  test.each([['gpt-5-of-next-year'], ['no-such-model'], ['constructor']])('%s', (upstreamModel) => {
    expect(listPriceOf({ ...(model as CatalogueModel), upstreamModel }, new Date())).toBeNull() // safe because the catalogue is not empty
    expect(pricesOf(upstreamModel)).toBeNull()
  })
})
