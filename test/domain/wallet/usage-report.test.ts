import { noUsage, type UsageDay, type UsageSum } from '../../../domain/wallet/usage.ts'
import { reportUsage } from '../../../domain/wallet/usage-report.ts'

const sum = (amountMicros: number): UsageSum => ({ calls: 1, amountMicros, inputTokens: 10, outputTokens: 1 })
const day = (date: string, groups: Record<string, number>): UsageDay => ({
  day: date,
  groups: Object.fromEntries(Object.entries(groups).map(([key, micros]) => [key, sum(micros)])),
})

const days = [
  // Days stored before tokens and conversations were counted.
  day('2026-11-01', { 'a|chat': 5 }),
  day('2026-11-02', { 'a|chat||main': 10, 'b|chat||cnv_1': 20, 'b|api|tok_1|': 40 }),
  day('2026-11-03', { 'a|heartbeat||': 80, 'a|chat||?': 160 }),
]
const rowsBy = (by: Parameters<typeof reportUsage>[1], filters = {}) =>
  Object.fromEntries(reportUsage(days, by, filters).usage.map(({ key, amountMicros }) => [key, amountMicros]))

describe('a usage report', () => {
  test('has rows for each dimension of calls, and each adds up to the total', () => {
    expect(rowsBy('day')).toEqual({ '2026-11-01': 5, '2026-11-02': 70, '2026-11-03': 240 })
    expect(rowsBy('model')).toEqual({ a: 255, b: 60 })
    expect(rowsBy('trigger')).toEqual({ api: 40, chat: 195, heartbeat: 80 })
    expect(rowsBy('token')).toEqual({ none: 270, tok_1: 40, unknown: 5 })
    expect(rowsBy('conversation')).toEqual({ cnv_1: 20, main: 10, none: 120, unknown: 165 })
    expect(reportUsage(days, 'token', {}).total).toEqual({
      calls: 6,
      amountMicros: 315,
      inputTokens: 60,
      outputTokens: 6,
    })
  })

  test('can be filtered by each dimension, and by several together', () => {
    expect(rowsBy('model', { trigger: 'chat' })).toEqual({ a: 175, b: 20 })
    expect(rowsBy('day', { token: 'tok_1' })).toEqual({ '2026-11-02': 40 })
    expect(rowsBy('trigger', { model: 'b', conversation: 'cnv_1' })).toEqual({ chat: 20 })
    expect(rowsBy('trigger', { model: 'c' })).toEqual({})
    expect(reportUsage(days, 'day', { model: 'c' })).toMatchObject({
      days: [],
      total: noUsage,
      seen: { model: ['a', 'b'] },
    })
  })

  test('has one bar per day whose parts add up to it, the most expensive of the range first', () => {
    expect(reportUsage(days, 'model', {}).days).toEqual([
      { day: '2026-11-01', calls: 1, amountMicros: 5, parts: [{ key: 'a', calls: 1, amountMicros: 5 }] },
      {
        day: '2026-11-02',
        calls: 3,
        amountMicros: 70,
        parts: [
          { key: 'a', calls: 1, amountMicros: 10 },
          { key: 'b', calls: 2, amountMicros: 60 },
        ],
      },
      { day: '2026-11-03', calls: 2, amountMicros: 240, parts: [{ key: 'a', calls: 2, amountMicros: 240 }] },
    ])
  })

  test('combines the cheapest rows when there are many, and loses nothing', () => {
    const many = [day('2026-11-01', Object.fromEntries(Array.from({ length: 900 }, (_, i) => [`m${i}|chat||`, i + 1])))]
    const { usage, days: bars, total, seen } = reportUsage(many, 'model', {})
    expect([usage.length, bars[0]?.parts.length, seen.model.length]).toEqual([500, 8, 500])
    expect(bars[0]?.parts.map(({ key }) => key)).toEqual([
      ...Array.from({ length: 7 }, (_, i) => `m${899 - i}`),
      'other',
    ])
    for (const parts of [usage, bars[0]?.parts ?? []])
      expect(parts.reduce((all, { amountMicros }) => all + amountMicros, 0)).toBe(total.amountMicros)
    expect(usage.find(({ key }) => key === 'other')?.calls).toBe(401)
  })
})
