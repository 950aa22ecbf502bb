import { describe, expect, test } from '@jest/globals'
import { findProvider, type ModelInfo } from '@pydantic/genai-prices'
import { aliases, catalogue, meaningsOf, modelId, successorOf } from '../../../domain/models/catalogue.ts'
import { leftOut } from '../../../domain/models/families.ts'
import { isEmbedding } from '../../../domain/models/model.ts'
import { priceDay, priceList } from '../../../domain/models/price-list.ts'
import { pricedModels } from '../../../domain/models/prices.ts'
import { sortLibrary, sortModels } from '../../../lib/build/prices.ts'

const at = new Date(`${priceDay}T12:00:00Z`)
const ids = new Set(catalogue.map(modelId))

describe('the price library’s models', () => {
  const sorted = sortLibrary(at)
  const inLibrary = ['anthropic', 'openai'].flatMap((id) =>
    (findProvider({ providerId: id })?.models ?? []).map((model) => `${id}/${model.id}`),
  )

  test('are each offered, or left out for a known reason', () => {
    const offered = Object.keys(sorted.offered)
    expect([...offered, ...Object.keys(sorted.leftOut)].sort()).toEqual(inLibrary.sort())
    expect(offered.filter((id) => !ids.has(id))).toEqual([])
    const reasons = [...leftOut.map(([, why]) => why), 'retired', 'its price is of another shape']
    expect(Object.entries(sorted.leftOut).filter(([, why]) => !reasons.includes(why))).toEqual([])
  })

  test.each([
    ['openai/gpt-audio', 'audio'],
    ['openai/gpt-image-2', 'makes images'],
    ['openai/gpt-4o-search-preview', 'uses tools at prices of their own'],
    ['openai/o1', 'retired'],
    ['anthropic/claude-3-haiku', 'retired'],
  ])('%s is left out: %s', (id, why) => expect(sorted.leftOut[id]).toBe(why))

  const step = (price: number, start: number) => ({ base: price, tiers: [{ start, price: 2 * price }] })
  const made = (id: string, more: Partial<ModelInfo>): ModelInfo => ({
    id,
    context_window: 100_000,
    match: { equals: id },
    prices: { input_mtok: 1, output_mtok: 2 },
    ...more,
  })
  const sortOne = (model: ModelInfo) => sortModels(at, { id: 'openai', name: '', api_pattern: '', models: [model] })

  test.each<[string, ModelInfo, string]>([
    ['with an unknown name', made('gpt-next', {}), 'of no known family'],
    ['without a context', { ...made('gpt-9', {}), context_window: 0 }, 'its context is not known'],
    ['without a price for output', made('gpt-9', { prices: { input_mtok: 1 } }), 'its price is of another shape'],
    [
      'with a price for audio',
      made('gpt-9', { prices: { input_mtok: 1, output_mtok: 2, input_audio_mtok: 9 } }),
      'its price is of another shape',
    ],
    [
      'with an hour of cache that costs more than twice its input',
      made('gpt-9', { prices: { input_mtok: 1, output_mtok: 2, cache_write_1h_mtok: 3 } }),
      'its price is of another shape',
    ],
    [
      'with two long contexts',
      made('gpt-9', { prices: { input_mtok: step(1, 1_000), output_mtok: step(2, 2_000) } }),
      'its price is of another shape',
    ],
  ])('a model %s is left out', (_, model, why) => {
    expect(sortOne(model)).toMatchObject({ offered: {}, leftOut: { [`openai/${model.id}`]: why } })
  })

  test('a new model is offered with the library’s price and context', () => {
    expect(sortOne(made('gpt-9', {})).offered).toEqual({
      'openai/gpt-9': { contextTokens: 100_000, input: 1, cachedInput: 1, cacheWrite: 1, output: 2 },
    })
  })

  test('a model that the library marks as retired is not offered, and is listed as retired', () => {
    expect(sortOne(made('gpt-9', { deprecated: true }))).toEqual({
      offered: {},
      retired: ['openai/gpt-9'],
      leftOut: { 'openai/gpt-9': 'retired' },
    })
  })
})

describe('an offered model', () => {
  test.each(pricedModels.map((model) => [model.id, model] as const))('%s has its limits', (id, model) => {
    expect(model.contextTokens).toBeGreaterThan(0)
    if (isEmbedding(model)) expect(model).toMatchObject({ maxOutputTokens: 0, formats: ['openai-embeddings'] })
    else expect(model.maxOutputTokens).toBeGreaterThan(0)
    if (/^(anthropic|openai)\//.test(id)) expect(Object.hasOwn(priceList, id)).toBe(true)
  })

  test('is listed after the default of its provider', () => {
    const first = (provider: string) => catalogue.find((model) => model.provider === provider)?.upstreamModel
    expect(['anthropic', 'openai', 'local'].map(first)).toEqual(['claude-sonnet-4-6', 'gpt-5-mini', 'echo'])
  })
})

describe('an alias', () => {
  test('refers to an offered model', () => {
    expect([...aliases.values()].filter((id) => !ids.has(id))).toEqual([])
  })

  test.each([
    ['claude-sonnet-latest', /^anthropic\/claude-sonnet-(\d+)/, 5],
    ['claude-opus-latest', /^anthropic\/claude-opus-(\d+)/, 5],
    ['claude-haiku-latest', /^anthropic\/claude-haiku-(\d+)/, 4],
    ['anthropic/claude-sonnet-latest', /^anthropic\/claude-sonnet-(\d+)/, 5],
    ['gpt-latest', /^openai\/gpt-(\d+)/, 6],
    ['gpt-mini-latest', /^openai\/gpt-(\d+).*-mini$/, 5],
  ])('%s is the newest of its line', (name, line, least) => {
    const id = [...meaningsOf(name)][0] ?? ''
    expect(id).toMatch(line)
    const version = (each: string) => Number(line.exec(each)?.[1] ?? 0)
    expect(version(id)).toBeGreaterThanOrEqual(least)
    expect(Math.max(...[...ids].map(version))).toBe(version(id))
  })

  test.each([
    ['claude-sonnet', 'anthropic/claude-sonnet-4-6'],
    ['claude-haiku', 'anthropic/claude-haiku-4-5'],
    ['claude-opus', 'anthropic/claude-opus-4-6'],
  ])('%s always refers to %s', (name, id) => expect([...meaningsOf(name)]).toEqual([id]))

  test.each([
    ['claude-sonnet-4-5-20250929', 'claude-sonnet-4-5'],
    ['anthropic/claude-opus-5-5-20260924', 'anthropic/claude-opus-5-5'],
    ['gpt-5-mini-2025-08-07', 'gpt-5-mini'],
    ['o3-2025-04-16', 'o3'],
  ])('%s may refer to %s', (name, meant) => expect([...meaningsOf(name)]).toEqual([name, meant]))

  test.each([['own/model-20250101'], ['gpt-4o-2024-05-13'], ['claude-opus-4-20250514'], ['constructor']])(
    '%s refers only to itself',
    (name) => expect([...meaningsOf(name)]).toEqual([name]),
  )
})

describe('a retired model', () => {
  test.each([
    ['claude-3-5-haiku-latest', 'claude-haiku-latest'],
    ['claude-3-5-sonnet-20241022', 'claude-sonnet-latest'],
    ['anthropic/claude-3-7-sonnet-latest', 'claude-sonnet-latest'],
    ['claude-sonnet-4-20250514', 'claude-sonnet-latest'],
    ['claude-opus-4-1-20250805', 'claude-opus-latest'],
    ['claude-2.1', 'claude-sonnet-latest'],
    ['gpt-3.5-turbo', 'gpt-mini-latest'],
    ['o4-mini', 'gpt-mini-latest'],
    ['openai/gpt-4-turbo-2024-04-09', 'gpt-latest'],
    ['gpt-5.1-codex-max', 'gpt-codex-latest'],
  ])('%s has the successor %s', (name, use) => {
    expect(successorOf(name)).toBe(aliases.get(use))
    expect(ids.has(successorOf(name) ?? '')).toBe(true)
  })

  test('is not offered under any name', () => {
    expect([...ids, ...aliases.keys()].filter((name) => successorOf(name) !== null)).toEqual([])
  })

  test('from the library has an offered successor', () => {
    const { leftOut: left } = sortLibrary(at)
    const gone = Object.entries(left).flatMap(([id, why]) => (why === 'retired' ? [id] : []))
    expect(gone.filter((id) => !ids.has(successorOf(id) ?? ''))).toEqual([])
  })
})
