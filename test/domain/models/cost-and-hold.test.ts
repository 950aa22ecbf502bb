import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import type { ModelCall } from '../../../domain/models/api-format.ts'
import { costMicros, noUsage, pricesFor, type Usage } from '../../../domain/models/cost.ts'
import { boundMicros, clampOutput, quoteOf } from '../../../domain/models/hold.ts'
import type { PricedModel, UnitPrices } from '../../../domain/models/model.ts'
import { type AnswerEnd, settlementOf } from '../../../domain/models/settlement.ts'
import { seeded } from '../../counts.ts'

const runs = seeded(5_000)
const price = fc.integer({ min: 1, max: 200_000_000 })
const prices: fc.Arbitrary<UnitPrices> = fc.record({
  input: price,
  cachedInput: price,
  cacheWrite: price,
  output: price,
})

const models: fc.Arbitrary<PricedModel> = fc.record({
  id: fc.constant('p/m'),
  provider: fc.constant('p'),
  upstreamModel: fc.constant('m'),
  formats: fc.constant(['openai-chat' as const]),
  contextTokens: fc.option(fc.integer({ min: 1_000, max: 2_000_000 })),
  maxOutputTokens: fc.option(fc.integer({ min: 1, max: 200_000 })),
  imageTokens: fc.integer({ min: 0, max: 10_000 }),
  prices,
  longContext: fc.option(fc.record({ aboveTokens: fc.integer({ min: 1, max: 300_000 }), prices }), { nil: undefined }),
  searchMicros: fc.integer({ min: 0, max: 100_000 }),
  priceVersion: fc.constant('v'),
  markup: fc.constant(0),
})

const calls: fc.Arbitrary<ModelCall> = fc.record({
  format: fc.constant('openai-chat' as const),
  model: fc.constant('p/m'),
  stream: fc.boolean(),
  choices: fc.integer({ min: 1, max: 8 }),
  textBytes: fc.integer({ min: 1, max: 4_000_000 }),
  images: fc.integer({ min: 0, max: 50 }),
  files: fc.constant(0),
  tools: fc.boolean(),
  searches: fc.integer({ min: 0, max: 20 }),
  outputTokens: fc.option(fc.integer({ min: 1, max: 10_000_000 })),
  leastOutput: fc.constant(1),
  hidesUsage: fc.boolean(),
  hourCache: fc.boolean(),
  wideContext: fc.boolean(),
  fields: fc.constant({}),
})

describe('the cost of a call', () => {
  test('is exact and rounded up once', () => {
    fc.assert(
      fc.property(
        prices,
        fc.array(fc.nat(2 ** 31), { minLength: 4, maxLength: 4 }),
        (unit, [input = 0, cachedInput = 0, cacheWrite = 0, output = 0]) => {
          const cost = BigInt(costMicros({ ...noUsage, input, cachedInput, cacheWrite, output }, unit))
          const exact =
            BigInt(input) * BigInt(unit.input) +
            BigInt(cachedInput) * BigInt(unit.cachedInput) +
            BigInt(cacheWrite) * BigInt(unit.cacheWrite) +
            BigInt(output) * BigInt(unit.output)
          expect(cost * 1_000_000n >= exact && (cost - 1n) * 1_000_000n < exact).toBe(true)
        },
      ),
      runs,
    )
  })

  test.each([
    [{ input: 1 }, 1],
    [{ input: 2, output: 1 }, 3],
    [{ input: 1_000_000, cachedInput: 1_000_000 }, 550_000],
    [{ cacheWrite: 1_000_000 }, 625_000],
    [{ cacheWrite: 1_000_000, cacheWriteHour: 400_000 }, 775_000],
    [{}, 0],
  ])('for %j is %i µUSD', (usage, expected) => {
    const unit = { input: 500_000, cachedInput: 50_000, cacheWrite: 625_000, output: 1_500_000 }
    expect(costMicros({ ...noUsage, ...usage }, unit)).toBe(expected)
  })

  test('never exceeds the hold for any usage within the bound and the clamp', () => {
    const share = fc.double({ min: 0, max: 1, noNaN: true })
    fc.assert(
      fc.property(models, calls, share, share, share, share, (model, asked, poverty, inputShare, kind, outputShare) => {
        const quote = quoteOf(asked, model)
        const spread = quote.boundMicros - quote.minimumMicros
        const held = quote.minimumMicros + Math.floor(spread * poverty)
        const limit = clampOutput(quote, held)
        expect(limit).toBeGreaterThanOrEqual(1)
        expect(limit).toBeLessThanOrEqual(quote.outputTokens)
        const input = Math.floor(quote.inputTokens * inputShare)
        const cached = Math.floor(input * kind)
        const usage: Usage = {
          input: input - cached,
          cachedInput: Math.floor(cached / 2),
          cacheWrite: Math.ceil(cached / 2),
          cacheWriteHour: asked.hourCache ? Math.ceil(cached / 2) : 0,
          output: outputShare > 0.9 ? limit * asked.choices : Math.floor(limit * asked.choices * outputShare),
          reasoning: 0,
          searches: asked.searches,
        }
        const metered = { reported: usage, final: true, countedOutput: 0, countedSearches: 0, unreadBytes: 0 }
        expect(settlementOf(asked, model, held, metered, 'broken').costMicros).toBeLessThanOrEqual(held)
      }),
      runs,
    )
  })

  test('never exceeds the hold for the worst usage within the clamp, with all input of the most expensive kind', () => {
    const kinds = ['input', 'cachedInput', 'cacheWrite'] as const
    const poverty = fc.double({ min: 0, max: 1, noNaN: true })
    fc.assert(
      fc.property(models, calls, poverty, (model, asked, share) => {
        const quote = quoteOf(asked, model)
        const held = quote.minimumMicros + Math.floor((quote.boundMicros - quote.minimumMicros) * share)
        const output = clampOutput(quote, held) * asked.choices
        for (const kind of kinds) {
          const usage = { ...noUsage, [kind]: quote.inputTokens, output }
          const tokens = costMicros(usage, pricesFor(model, quote.inputTokens))
          expect(tokens + quote.searchMicros).toBeLessThanOrEqual(held)
        }
      }),
      runs,
    )
  })

  test('equals a hold of the whole bound for the longest output', () => {
    fc.assert(
      fc.property(models, calls, (model, asked) => {
        const quote = quoteOf(asked, model)
        expect(clampOutput(quote, quote.boundMicros)).toBe(quote.outputTokens)
      }),
      runs,
    )
  })

  test('has a bound that grows with each of its parts', () => {
    fc.assert(
      fc.property(
        prices,
        fc.nat(1_000_000),
        fc.nat(100_000),
        fc.integer({ min: 1, max: 8 }),
        (unit, input, output, n) => {
          const bound = boundMicros(input, output, n, unit)
          expect(boundMicros(input + 1, output, n, unit)).toBeGreaterThanOrEqual(bound)
          expect(boundMicros(input, output + 1, n, unit)).toBeGreaterThanOrEqual(bound)
          expect(boundMicros(input, output, n + 1, unit)).toBeGreaterThanOrEqual(bound)
        },
      ),
      runs,
    )
  })
})

describe('a settlement', () => {
  test.each<[string, AnswerEnd, boolean]>([
    ['counted', 'whole', false],
    ['interrupted', 'broken', false],
    ['interrupted', 'cut-off', false],
    ['unread', 'whole', true],
    ['unread', 'broken', true],
  ])('without a report is %s when the response ended as %s (unread: %s)', (because, end, unread) => {
    const metered = { reported: null, final: false, countedOutput: 7, countedSearches: 0, unreadBytes: unread ? 28 : 0 }
    fc.assert(
      fc.property(models, calls, (model, asked) => {
        expect(settlementOf(asked, model, 1_000_000, metered, end)).toMatchObject({ because, usage: { output: 7 } })
      }),
      seeded(20),
    )
  })

  test('takes cached input as kept for an hour when the call asked for it and the provider does not say', () => {
    fc.assert(
      fc.property(models, calls, (model, asked) => {
        const forHour = (hourCache: boolean, reported: object) => {
          const metered = { reported, final: true, countedOutput: 0, countedSearches: 0, unreadBytes: 0 }
          return settlementOf({ ...asked, hourCache }, model, 0, metered, 'whole').usage.cacheWriteHour
        }
        expect(forHour(true, { cacheWrite: 500 })).toBe(500)
        expect(forHour(true, { cacheWrite: 500, cacheWriteHour: 200 })).toBe(200)
        expect(forHour(false, { cacheWrite: 500 })).toBe(0)
      }),
      seeded(100),
    )
  })

  test('is never negative, and exceeds the hold only when the provider reports it', () => {
    const reported = fc.option(
      fc.record({ input: fc.nat(10_000_000), output: fc.nat(10_000_000), cachedInput: fc.nat(1_000_000) }),
    )
    fc.assert(
      fc.property(
        models,
        calls,
        fc.nat(1_000_000),
        reported,
        fc.boolean(),
        fc.nat(100_000),
        fc.constantFrom<AnswerEnd>('whole', 'broken', 'cut-off'),
        (model, asked, held, report, final, counted, end) => {
          const metered = { reported: report, final, countedOutput: counted, countedSearches: 0, unreadBytes: 0 }
          const settled = settlementOf(asked, model, held, metered, end)
          expect(settled.costMicros).toBeGreaterThanOrEqual(0)
          if (settled.because !== 'usage') expect(settled.costMicros).toBeLessThanOrEqual(held)
          expect(settled.aboveHoldMicros).toBe(Math.max(0, settled.costMicros - held))
          if (report && final) expect(settled.usage).toEqual({ ...noUsage, ...report })
          if (counted === 0 && !report && end === 'cut-off') expect(settled).toMatchObject({ because: 'interrupted' })
          if (counted === 0 && !report && end !== 'cut-off')
            expect(settled).toMatchObject({ costMicros: 0, because: 'upstream-error' })
        },
      ),
      runs,
    )
  })
})
