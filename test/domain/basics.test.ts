import { randomBytes } from 'node:crypto'
import { plans } from '../../domain/billing/plans.ts'
import { formatMicros } from '../../domain/dollars.ts'
import { idPattern, shardOf, shards, ulid } from '../../domain/ids.ts'
import { centsToMicros } from '../../domain/money.ts'
import { fromCursor, toCursor } from '../../domain/page.ts'
import { covers, isSubset } from '../../domain/scopes.ts'

describe('an id', () => {
  test('sorts by creation time', () => {
    const times = [1_700_000_000_000, 1_700_000_000_001, 1_800_000_000_000]
    const made = times.map((time) => ulid(time, randomBytes(16)))
    expect([...made].sort()).toEqual(made)
    for (const id of made) expect(`txn_${id}`).toMatch(idPattern('txn'))
  })

  test('for a user falls evenly into every shard', () => {
    const seen = new Set(Array.from({ length: 1_000 }, (_, i) => shardOf(`usr_${ulid(i, randomBytes(16))}`)))
    expect(seen.size).toBe(shards)
  })
})

describe('an amount of money', () => {
  test('is in whole micro-dollars', () => {
    expect(centsToMicros(1_000)).toBe(10_000_000)
    expect(() => centsToMicros(0.5 / 10_000)).toThrow(RangeError)
  })

  test.each([
    [0, '$0.00'],
    [12_340_000, '$12.34'],
    [123, '$0.000123'],
    [-1_500_000, '-$1.50'],
  ])('of %d µUSD reads %s', (micros, text) => expect(formatMicros(micros)).toBe(text))
})

describe('a scope', () => {
  test('named mcp:* covers every mcp scope and no other', () => {
    expect(covers(['mcp:*'], 'mcp:wallet.write')).toBe(true)
    expect(covers(['mcp:*'], 'api:chat')).toBe(false)
    expect(covers(['mcp:wallet.read'], 'mcp:wallet.write')).toBe(false)
  })

  test('is a subset of another only if that one covers it', () => {
    expect(isSubset(['mcp:wallet.read'], ['mcp:*'])).toBe(true)
    expect(isSubset(['mcp:*'], ['mcp:wallet.read'])).toBe(false)
  })
})

describe('a cursor', () => {
  test('decodes to the id it was made from, and anything else is rejected', () => {
    const id = `txn_${ulid(Date.now(), randomBytes(16))}`
    expect(fromCursor(toCursor(id) ?? '', 'txn')).toBe(id)
    expect(() => fromCursor('x', 'txn')).toThrow(/cursor/)
    expect(() => fromCursor(toCursor(id) ?? '', 'msg')).toThrow(/cursor/)
  })
})

test('each plan is at least as large as the previous one in everything', () => {
  for (const [i, plan] of plans.entries()) {
    const before = plans[i - 1]
    if (!before) continue
    expect(plan.priceCents).toBeGreaterThan(before.priceCents)
    expect(plan.includedMicros).toBeGreaterThanOrEqual(before.includedMicros)
    for (const part of ['cpu', 'memoryMiB', 'storageGiB'] as const) {
      expect(plan.machine[part]).toBeGreaterThanOrEqual(before.machine[part])
    }
  }
})
