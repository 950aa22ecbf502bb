import { binsOf, daysOf, isRange, type Range, topOf } from '../../dashboard/wallet/usage-range.ts'
import { readDayRange } from '../../domain/wallet/usage.ts'

const today = '2026-03-15'

describe('a range of the chart', () => {
  test.each<[Range, string, string]>([
    ['week', '2026-03-09', today],
    ['days30', '2026-02-14', today],
    ['month', '2026-03-01', today],
    ['lastMonth', '2026-02-01', '2026-02-28'],
    ['days90', '2025-12-16', today],
    ['year', '2025-03-17', today],
    ['custom', '2026-02-14', today],
  ])('for %s is %s to %s', (range, from, to) => {
    expect(daysOf(range, today)).toEqual({ from, to })
    expect(isRange(daysOf(range, today))).toBe(true)
  })

  test('with custom dates is unchanged', () => {
    expect(daysOf('custom', today, { from: '2026-01-01', to: '2026-01-02' })).toEqual({
      from: '2026-01-01',
      to: '2026-01-02',
    })
  })

  test.each([
    ['2026-03-02', '2026-03-01'],
    ['2026-02-30', '2026-03-01'],
    ['x', '2026-03-01'],
    ['2023-03-14', '2026-03-15'],
    ['1969-12-31', '1970-01-01'],
    ['2023-03-16', '2026-03-15'],
    ['2026-03-15', '2026-03-15'],
  ])('from %s to %s is requested when, and only when, the service answers', (from, to) => {
    const answers = () => {
      // The operation's schema refuses these before.
      if (![from, to].every((day) => /^\d{4}-\d\d-\d\d$/.test(day) && new Date(day).toJSON()?.startsWith(day)))
        return false
      try {
        return readDayRange({ from, to }, Date.parse(today)).toMs > 0
      } catch {
        return false
      }
    }
    expect(isRange({ from, to })).toBe(answers())
  })
})

describe('bins', () => {
  const bar = (day: string, amountMicros: number) => ({
    day,
    calls: 1,
    amountMicros,
    parts: [{ key: 'a', calls: 1, amountMicros }],
  })

  test('are each day of a short range, days without spending included', () => {
    const bins = binsOf([bar('2026-03-02', 5)], { from: '2026-03-01', to: '2026-03-03' })
    expect(bins.map(({ from, to, amountMicros }) => [from, to, amountMicros])).toEqual([
      ['2026-03-01', '2026-03-01', 0],
      ['2026-03-02', '2026-03-02', 5],
      ['2026-03-03', '2026-03-03', 0],
    ])
    expect(bins[1]?.parts.get('a')).toEqual({ calls: 1, amountMicros: 5 })
  })

  test('are weeks of a longer range, and have the same sum', () => {
    const range = { from: '2025-03-16', to: today }
    const bars = Array.from({ length: 365 }, (_, i) =>
      bar(new Date(Date.parse(range.from) + i * 864e5).toJSON().slice(0, 10), i),
    )
    const bins = binsOf(bars, range)
    expect([bins.length, bins.at(-1)?.to]).toEqual([53, today])
    expect(bins.reduce((sum, { amountMicros }) => sum + amountMicros, 0)).toBe((364 * 365) / 2)
  })

  test('are below a round maximum', () => {
    const top = (amountMicros: number) => topOf(binsOf([bar(today, amountMicros)], { from: today, to: today }))
    expect([0, 7, 1_200_000, 2_000_000, 5_000_001].map(top)).toEqual([1, 7.5, 1_500_000, 2_000_000, 7_500_000])
  })
})
