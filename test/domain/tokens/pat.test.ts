import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import type { UserActor } from '../../../domain/actor.ts'
import { dayMs } from '../../../domain/time.ts'
import { capPeriods, noCaps, type TokenCaps } from '../../../domain/tokens/caps.ts'
import {
  capFields,
  countOf,
  decideMint,
  decideReroll,
  formatPat,
  isPat,
  maxCountsAbove,
  patShape,
  showPat,
  statusOf,
} from '../../../domain/tokens/pat.ts'
import { seeded } from '../../counts.ts'

const make = () => formatPat('00', randomBytes(64))

const record = {
  id: 'tok_x',
  userId: 'usr_x',
  name: 'n',
  tokenPrefix: 'oss_00abcdef',
  scopes: ['mcp:*' as const],
  createdAt: '2026-01-01T00:00:00.000Z',
  expiresAt: '2026-02-01T00:00:00.000Z',
  lastUsedAt: null,
  revokedAt: null,
  mintedBy: 'tok_y',
}

describe('the text of a PAT', () => {
  test('has the spec’s prefix, the cell and 36 characters', () => {
    const text = make()
    expect(text).toMatch(patShape)
    expect(text.slice(0, 6)).toBe('oss_00')
    expect(isPat(text)).toBe(true)
  })

  test('with one changed character is refused without a look-up', () => {
    fc.assert(
      fc.property(fc.integer({ min: 4, max: 39 }), fc.constantFrom(...'0123456789ABCXYZabcxyz'), (at, character) => {
        const text = make()
        fc.pre(text[at] !== character)
        expect(isPat(text.slice(0, at) + character + text.slice(at + 1))).toBe(false)
      }),
      seeded(20_000),
    )
  })

  test('is not padded when there is too little randomness: that is an error', () => {
    expect(() => formatPat('00', new Uint8Array(27))).toThrow(RangeError)
    expect(() => formatPat('0', randomBytes(64))).toThrow(RangeError)
  })

  test('in any other form is not a PAT', () => {
    for (const text of ['', 'oss_', `oss_${'a'.repeat(36)}`, 'bmt_llm.x.y', `${make()}x`])
      expect(isPat(text)).toBe(false)
  })
})

describe('the status of a PAT', () => {
  const during = Date.parse('2026-01-15T00:00:00.000Z')
  const after = Date.parse('2026-02-01T00:00:00.000Z')

  test('is active until its expiry, and stays revoked forever after a revocation', () => {
    expect(statusOf(record, during)).toBe('active')
    expect(statusOf(record, after)).toBe('expired')
    expect(statusOf({ ...record, revokedAt: record.createdAt }, during)).toBe('revoked')
  })

  test('comes without the owner and the minter of the PAT', () => {
    expect(Object.keys(showPat(record, during))).not.toEqual(expect.arrayContaining(['userId']))
    expect(Object.keys(showPat(record, during))).not.toEqual(expect.arrayContaining(['mintedBy']))
  })
})

// https://github.com/pocket-id/pocket-id/pull/1334, https://github.com/croffasia/itsaplan/pull/358
describe('the lifetime of a minted token', () => {
  const nowMs = Date.parse('2026-01-01T00:00:00.000Z')
  const asked = { name: 'n', scopes: ['mcp:*' as const] }
  const session = {
    kind: 'session',
    userId: 'usr_x',
    sessionId: 'ses_x',
    signedInAt: '2026-01-01T00:00:00.000Z',
  } as const
  const token = (expiresAt: string) =>
    ({ kind: 'pat', userId: 'usr_x', tokenId: 'tok_x', scopes: ['mcp:*' as const], expiresAt }) satisfies UserActor
  const soon = '2026-01-10T12:00:00.000Z'

  test('is 90 days by default for a session', () =>
    expect(decideMint(session, asked, nowMs).expiresAt).toBe('2026-04-01T00:00:00.000Z'))

  test('is the minting token’s own by default', () =>
    expect(decideMint(token(soon), asked, nowMs).expiresAt).toBe(soon))

  test('does not grow when a token rerolls itself', () => {
    const minted = { ...decideMint(session, asked, nowMs), id: 'tok_x', tokenPrefix: 'oss_' }
    const later = nowMs + 80 * dayMs
    expect(decideReroll(token(minted.expiresAt), minted, 1, later).next.expiresAt).toBe(minted.expiresAt)
  })

  test('is as requested within that limit', () =>
    expect(decideMint(token(soon), { ...asked, expiresInDays: 9 }, nowMs).expiresAt).toBe('2026-01-10T00:00:00.000Z'))

  test.each([
    [soon, 'Ask for 9 at most'],
    ['2026-01-01T05:00:00.000Z', 'Leave it out'],
  ])('is refused above that limit, with the maximum (%s)', (end, advice) => {
    const mint = () => decideMint(token(end), { ...asked, expiresInDays: 10 }, nowMs)
    expect(mint).toThrow(
      expect.objectContaining({ code: 'validation', details: { expiresInDays: [expect.stringContaining(advice)] } }),
    )
  })
})

describe('a spending cap', () => {
  const session = {
    kind: 'session',
    userId: 'usr_x',
    sessionId: 'ses_x',
    signedInAt: '2026-01-01T00:00:00.000Z',
  } as const
  const llm = { name: 'n', scopes: ['api:llm' as const] }
  const expiresAt = '2026-01-10T12:00:00.000Z'
  const token = { kind: 'pat' as const, userId: 'usr_x', tokenId: 'tok_x', scopes: ['api:llm' as const], expiresAt }
  const at = Date.parse('2026-01-01T00:00:00.000Z')

  const count = (tokenId: string, caps: Partial<TokenCaps> = {}) => ({
    tokenId,
    caps: { ...noCaps, ...caps },
    name: 'n',
  })
  const capped = (caps: Partial<TokenCaps>) => ({ ...count('tok_x', caps), above: [] })

  test('is only for tokens that may spend', () => {
    for (const field of capFields) {
      expect(decideMint(session, { ...llm, [field]: 5 }, at)).toMatchObject({ [field]: 5 })
      const mint = () => decideMint(session, { name: 'n', scopes: ['mcp:*'], [field]: 5 }, at)
      expect(mint).toThrow(expect.objectContaining({ code: 'validation', details: { [field]: [expect.any(String)] } }))
    }
  })

  test('cannot be avoided by minting: a capped token mints no token that spends', () => {
    for (const period of capPeriods)
      expect(() => decideMint(token, llm, at, capped({ [period]: 5 }))).toThrow(
        expect.objectContaining({ code: 'forbidden' }),
      )
    expect(decideMint(token, llm, at)).toMatchObject({ mintedBy: 'tok_x' })
  })

  test('cannot be avoided by rerolling another token that spends', () => {
    const times = { createdAt: '2026-01-01T00:00:00.000Z', expiresAt, lastUsedAt: null, revokedAt: null }
    const other = { id: 'tok_a', userId: 'usr_x', tokenPrefix: 'oss_', ...llm, ...times }
    const asking = { ...token, scopes: ['api:llm' as const, 'api:tokens.write' as const] }
    for (const period of capPeriods)
      expect(() => decideReroll(asking, other, 0, at, { asking: capped({ [period]: 5 }) })).toThrow(
        expect.objectContaining({ code: 'forbidden' }),
      )
    const budgets = { asking: capped({ day: 5 }) }
    expect(decideReroll(asking, other, 0, at).next).toMatchObject({ replaces: 'tok_a' })
    expect(decideReroll(asking, { ...other, scopes: [] }, 0, at, budgets).next).toMatchObject({ replaces: 'tok_a' })
  })

  test('and its count pass to the new token, and to the one after that', () => {
    const times = { createdAt: '2026-01-01T00:00:00.000Z', expiresAt, lastUsedAt: null, revokedAt: null }
    const old = { id: 'tok_a', userId: 'usr_x', tokenPrefix: 'oss_', ...llm, ...times, capMicros: 5, dailyCapMicros: 3 }
    const { next } = decideReroll(session, old, 0, at)
    expect(countOf({ ...next, id: 'tok_b', tokenPrefix: 'oss_' })).toEqual({
      tokenId: 'tok_a',
      caps: { total: 5, day: 3, month: null },
      name: 'n',
    })
    const after = decideReroll(session, { ...next, id: 'tok_b', tokenPrefix: 'oss_' }, 0, at).next
    expect(countOf({ ...after, id: 'tok_c', tokenPrefix: 'oss_' })).toMatchObject({
      tokenId: 'tok_a',
      caps: { total: 5, day: 3 },
    })
  })

  test('limits all descendants, and minting fails below more tokens than a call can count for', () => {
    const budget = { ...count('tok_x'), above: [count('tok_y'), count('tok_z')] }
    expect(decideMint(token, llm, at, budget).spendsUnder).toEqual(['tok_x', 'tok_y', 'tok_z'])
    expect(() => decideMint(token, llm, at, { ...budget, above: [count('tok_y', { month: 5 })] })).toThrow(
      expect.objectContaining({ code: 'forbidden' }),
    )
    const above = Array.from({ length: maxCountsAbove }, (_, i) => count(`tok_${i}`))
    expect(() => decideMint(token, llm, at, { ...count('tok_x'), above })).toThrow(
      expect.objectContaining({ code: 'forbidden' }),
    )
  })

  test('on the token that rerolls another limits the new token too, next to the caps above the old one', () => {
    const times = { createdAt: '2026-01-01T00:00:00.000Z', expiresAt, lastUsedAt: null, revokedAt: null }
    const old = { id: 'tok_b', userId: 'usr_x', tokenPrefix: 'oss_', ...llm, ...times, mintedBy: 'tok_m' }
    const asking = { ...token, scopes: ['api:llm' as const, 'api:tokens.write' as const] }
    const budgets = {
      old: { ...count('tok_b'), above: [count('tok_m')] },
      asking: { ...count('tok_x'), above: [count('tok_b')] },
    }
    expect(decideReroll(asking, old, 0, at, budgets).next).toMatchObject({
      spendsAs: 'tok_b',
      spendsUnder: ['tok_m', 'tok_x'],
    })
  })
})
