import { readFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { priceListVersion, pricesOf } from '../../../adapters/models/prices.ts'
import { type CatalogueModel, catalogue, markedUp, modelId } from '../../../domain/models/catalogue.ts'

const at = new Date('2026-11-01T00:00:00Z')
const find = (id: string): CatalogueModel => {
  const found = catalogue.find((one) => modelId(one) === id)
  if (!found) throw new Error(`${id} is not in the catalogue`)
  return found
}

test.each(catalogue.map((one) => [modelId(one), one] as const))(
  '%s has a price above zero for every kind of token',
  (_id, one) => {
    const prices = pricesOf(one, at)
    expect(prices).not.toBeNull()
    for (const list of [prices?.prices, prices?.longContext?.prices ?? prices?.prices]) {
      for (const value of Object.values(list ?? {})) expect(Number.isSafeInteger(value) && value > 0).toBe(true)
    }
  },
)

test('ids are unique', () => {
  expect(new Set(catalogue.map(modelId)).size).toBe(catalogue.length)
})

test('prices carry the markup, in whole µUSD rounded up', () => {
  expect(pricesOf(find('openai/gpt-5'), at)).toMatchObject({
    prices: { input: 1_312_500, cachedInput: 131_250, output: 10_500_000 },
    markup: 500,
  })
  expect(markedUp(0.0000001, 500)).toBe(1)
  expect(markedUp(0.1 + 0.2, 0)).toBe(300_000)
})

test('a long context has its own prices', () => {
  expect(pricesOf(find('anthropic/claude-sonnet-4-5'), at)?.longContext).toMatchObject({
    aboveTokens: 200_000,
    prices: { input: 6_300_000 },
  })
})

test('our own price wins and has no markup', () => {
  expect(pricesOf(find('local/echo'), at)).toMatchObject({ prices: { input: 500_000, output: 1_500_000 }, markup: 0 })
})

describe('no price, no model', () => {
  const one = find('openai/gpt-5')
  test.each([['gpt-5-of-next-year'], ['no-such-model']])('%s', (upstreamModel) => {
    expect(pricesOf({ ...one, upstreamModel }, at)).toBeNull()
  })
})

test('receipts name the price list that is installed', () => {
  const { version } = JSON.parse(readFileSync('node_modules/@pydantic/genai-prices/package.json', 'utf8'))
  expect(priceListVersion).toBe(`genai-prices-${version}`)
})
