import fc from 'fast-check'
import { newAutoTopup } from '../../../domain/wallet/auto-topup.ts'
import { forecastMonth, forecastRange } from '../../../domain/wallet/forecast.ts'
import { dayKey, dayOf } from '../../../domain/wallet/limits.ts'
import { newWallet, type WalletState } from '../../../domain/wallet/state.ts'
import { noUsage, type UsageDay } from '../../../domain/wallet/usage.ts'

const now = Date.parse('2026-11-24T12:00:00.000Z')
const dollar = 1_000_000

const day = (date: string, amountMicros: number): UsageDay => ({
  day: date,
  groups: { 'm|chat||': { ...noUsage, calls: 1, amountMicros } },
})
const wallet = (available: number, more: Partial<WalletState> = {}): WalletState => ({
  ...newWallet('usr_x'),
  available,
  total: available,
  ...more,
})
const auto = newAutoTopup({ enabled: true, thresholdCents: 300, amountCents: 1_000, monthlyCapCents: 2_000 })

describe('a forecast of the month', () => {
  test('reads this month and the seven days before today', () => {
    expect(forecastRange(now)).toEqual({ fromMs: Date.parse('2026-11-01'), toMs: Date.parse('2026-11-25') })
    const early = Date.parse('2026-11-03T01:00:00.000Z')
    expect(forecastRange(early)).toEqual({ fromMs: Date.parse('2026-10-27'), toMs: Date.parse('2026-11-04') })
  })

  test('continues at the mean of the last seven days, including the rest of today', () => {
    const days = [
      day('2026-11-02', 9 * dollar),
      ...['17', '18', '19', '20', '21', '22', '23'].map((date) => day(`2026-11-${date}`, dollar)),
      day('2026-11-24', dollar / 4),
    ]
    expect(forecastMonth(days, wallet(100 * dollar), null, now)).toEqual({
      month: '2026-11',
      spentMicros: 16.25 * dollar,
      rateMicros: dollar,
      rateDays: 7,
      monthEndMicros: 23 * dollar,
      emptyOn: null,
      missingMicros: 0,
      mostMicros: (16.25 + 4.75 + 6 * 5) * dollar,
      isCapped: false,
    })
  })

  test('counts days from the first with spending, and only today when no other is known', () => {
    expect(forecastMonth([day('2026-11-22', dollar)], wallet(0), null, now)).toMatchObject({
      rateMicros: dollar / 2,
      rateDays: 2,
    })
    expect(forecastMonth([day('2026-11-24', dollar)], wallet(0), null, now)).toMatchObject({
      rateMicros: dollar,
      rateDays: 0,
      monthEndMicros: 7 * dollar,
    })
    expect(forecastMonth([], wallet(0), null, now)).toMatchObject({ monthEndMicros: 0, emptyOn: null, rateDays: 0 })
  })

  test('uses last month’s days for the rate and not for the sum', () => {
    const early = Date.parse('2026-12-01T00:00:00.000Z')
    expect(forecastMonth([day('2026-11-30', dollar)], wallet(0), null, early)).toMatchObject({
      month: '2026-12',
      spentMicros: 0,
      monthEndMicros: 31 * dollar,
    })
  })

  test('says on which day the balance is used up, how much is missing, and whether automatic top-up covers it', () => {
    const days = [day('2026-11-23', 4 * dollar), day('2026-11-24', dollar)]
    // Today has 3 left, then each of six days has 4.
    const low = wallet(8 * dollar)
    expect(forecastMonth(days, low, null, now)).toMatchObject({ emptyOn: '2026-11-26', missingMicros: 19 * dollar })
    expect(forecastMonth(days, low, auto, now).autoTopup).toEqual({ leftMicros: 20 * dollar, suffices: true })
    const charged = { ...auto, month: '2026-11', chargedMicros: 10 * dollar }
    expect(forecastMonth(days, low, charged, now).autoTopup).toEqual({ leftMicros: 10 * dollar, suffices: false })
    const off = { ...auto, settings: { ...auto.settings, enabled: false } }
    expect(forecastMonth(days, low, off, now).autoTopup).toBeUndefined()
    expect(forecastMonth(days, wallet(27 * dollar), null, now)).toMatchObject({ emptyOn: null, missingMicros: 0 })
  })

  test('never exceeds the daily limit, and says when that is reached', () => {
    const days = [day('2026-11-23', 50 * dollar)]
    const left = { [dayKey(dayOf(now), 'day')]: 2 * dollar }
    expect(forecastMonth(days, wallet(0, { left }), null, now)).toMatchObject({
      isCapped: true,
      rateMicros: 5 * dollar,
      monthEndMicros: (50 + 2 + 30) * dollar,
      mostMicros: (50 + 2 + 30) * dollar,
    })
  })

  test('is in whole micro-dollars, between the spent amount and the maximum of the limit', () => {
    const amounts = fc.array(fc.integer({ min: 0, max: 5 * dollar }), { minLength: 1, maxLength: 24 })
    fc.assert(
      fc.property(amounts, fc.integer({ min: 0, max: 100 * dollar }), (spent, balance) => {
        const days = spent.map((micros, i) => day(`2026-11-${String(24 - i).padStart(2, '0')}`, micros))
        const made = forecastMonth(days, wallet(balance), auto, now)
        for (const value of Object.values(made))
          if (typeof value === 'number') expect(Number.isSafeInteger(value)).toBe(true)
        expect(made.monthEndMicros).toBeGreaterThanOrEqual(made.spentMicros)
        expect(made.monthEndMicros).toBeLessThanOrEqual(made.mostMicros)
        expect(made.emptyOn !== null).toBe(made.missingMicros > 0)
      }),
    )
  })
})
