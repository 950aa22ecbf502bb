import fc from 'fast-check'
import { remove } from '../../../adapters/dynamo/calls.ts'
import { tokens } from '../../../adapters/dynamo/tokens/tokens.ts'
import type { Tokens } from '../../../app/ports/tokens.ts'
import { DomainError } from '../../../domain/errors.ts'
import { iso, minuteMs } from '../../../domain/time.ts'
import type { PatRecord } from '../../../domain/tokens/pat.ts'
import { seeded } from '../../counts.ts'
import { type Engine, inject, startEngine } from '../engine.ts'

const most = 5

let engine: Engine
let port: Tokens
beforeAll(async () => {
  engine = await startEngine()
  port = tokens(engine.env, most)
})
afterAll(() => engine.stop())

const start = Date.parse('2026-11-20T12:00:00.000Z')
let users = 0

const record = (userId: string, nowMs: number, minutes: number) => ({
  ...{ userId, name: 'laptop', scopes: ['mcp:*' as const], lastUsedAt: null, revokedAt: null },
  createdAt: iso(nowMs),
  expiresAt: iso(nowMs + minutes * minuteMs),
})

/** A token, or null when the account is at its limit. */
const orFull = async (made: Promise<{ record: PatRecord }>): Promise<PatRecord | null> => {
  try {
    return (await made).record
  } catch (error) {
    if (error instanceof DomainError && error.message.includes('which is the limit')) return null
    throw error
  }
}

const isLive = (nowMs: number) => (token: PatRecord) => !token.revokedAt && Date.parse(token.expiresAt) > nowMs
const liveOf = async (userId: string, nowMs: number) => (await port.list(userId)).filter(isLive(nowMs))

const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('mint' as const),
      minutes: fc.integer({ min: 1, max: 9 }),
      at: fc.nat(9),
    }),
  },
  fc.record({ kind: fc.constant('mint by a token' as const), minutes: fc.integer({ min: 1, max: 9 }), at: fc.nat(9) }),
  fc.record({ kind: fc.constant('reroll' as const), minutes: fc.constantFrom(0, 2), at: fc.nat(9) }),
  fc.record({ kind: fc.constant('revoke' as const), minutes: fc.constant(0), at: fc.nat(9) }),
  fc.record({ kind: fc.constant('wait' as const), minutes: fc.integer({ min: 1, max: 4 }), at: fc.nat(9) }),
)
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

/** Runs one step and returns whether it was refused because the account is at its limit. */
async function act(userId: string, { kind, minutes, at }: Step, nowMs: number): Promise<boolean> {
  const live = await liveOf(userId, nowMs)
  const one = live[at % Math.max(1, live.length)]
  if (kind === 'mint') return (await orFull(port.mint(record(userId, nowMs, minutes)))) === null
  if (kind === 'wait' || !one) return false
  if (kind === 'revoke') {
    await port.revoke(one.id, iso(nowMs))
    return false
  }
  const ended = (error: unknown) => {
    if (error instanceof DomainError && /unauthorized|conflict/.test(error.code) && !error.message.includes('limit'))
      return { record: one }
    throw error
  }
  if (kind === 'mint by a token')
    return (await orFull(port.mint({ ...record(userId, nowMs, minutes), mintedBy: one.id }).catch(ended))) === null
  const next = { ...record(userId, nowMs, 9), replaces: one.id }
  return (await orFull(port.reroll(one, next, iso(nowMs + minutes * minuteMs)).catch(ended))) === null
}

/**
 * https://github.com/web3-storage/web3.storage/issues/27: tokens were counted before a new one was created, or never.
 */
test('live tokens never exceed the limit, whatever is minted, rerolled, revoked or expires concurrently, and a free place can be used', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(step, { minLength: 1, maxLength: 4 }), { minLength: 4, maxLength: 9 }),
      async (rounds) => {
        const userId = `usr_p${++users}`
        let nowMs = start
        for (const together of rounds) {
          const before = (await liveOf(userId, nowMs)).length
          const refused = await Promise.all(together.map((each) => act(userId, each, nowMs)))
          const after = (await liveOf(userId, nowMs)).length
          expect(after).toBeLessThanOrEqual(most)
          // Only revocation or expiry frees a place, so a refusal is right only when all places were taken.
          if (refused.some(Boolean) && together.every(({ kind }) => kind.startsWith('mint'))) expect(after).toBe(most)
          if (refused.some(Boolean)) expect(before + together.length).toBeGreaterThan(most)
          for (const { kind, minutes } of together) if (kind === 'wait') nowMs += minutes * minuteMs
        }
        nowMs += 10 * minuteMs
        const later = await Promise.all(
          Array.from({ length: most + 2 }, () => orFull(port.mint(record(userId, nowMs, 5)))),
        )
        expect(later.filter((made) => made !== null)).toHaveLength(most)
      },
    ),
    seeded(60),
  )
})

test('tokens from a release without counted places are counted before the next token is minted', async () => {
  const userId = 'usr_old'
  for (let i = 0; i < most; i++) await port.mint(record(userId, start, 60))
  await remove(engine.env.table('tokens'), { id: `places#${userId}` })
  await expect(port.checkFree(userId, start)).rejects.toMatchObject({ code: 'conflict' })
  expect(await orFull(port.mint(record(userId, start, 60)))).toBeNull()
  const [first] = await port.list(userId)
  await port.revoke(first?.id ?? '', iso(start))
  await port.checkFree(userId, start)
  expect(await orFull(port.mint(record(userId, start, 60)))).not.toBeNull()
})

test.each(['before', 'after', 'throttled', 'conflict'] as const)(
  'a request that fails %s takes one place',
  async (fault) => {
    const userId = `usr_f${++users}`
    await port.mint(record(userId, start, 60))
    inject(fault)
    await port.mint(record(userId, start, 60))
    const more = await Promise.all(Array.from({ length: most }, () => orFull(port.mint(record(userId, start, 60)))))
    expect(more.filter((made) => made !== null)).toHaveLength(most - 2)
  },
)

test('a full account can reroll a token that ends at once, but not one with a grace period', async () => {
  const userId = 'usr_reroll'
  const made = await Promise.all(Array.from({ length: most }, () => port.mint(record(userId, start, 60))))
  const [{ record: one } = { record: null }] = made
  if (!one) throw new Error('no token was made')
  const next = { ...record(userId, start, 60), replaces: one.id }
  expect(await orFull(port.reroll(one, next, iso(start + minuteMs)))).toBeNull()
  expect(await orFull(port.reroll(one, next, iso(start)))).not.toBeNull()
  expect(await liveOf(userId, start)).toHaveLength(most)
  expect(await orFull(port.mint(record(userId, start, 60)))).toBeNull()
})
