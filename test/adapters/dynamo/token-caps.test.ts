import { get } from '../../../adapters/dynamo/calls.ts'
import { DomainError } from '../../../domain/errors.ts'
import { dayMs, iso, minuteMs } from '../../../domain/time.ts'
import { type CapPeriod, capPeriods, noCaps, periodAt, type TokenCaps } from '../../../domain/tokens/caps.ts'
import { holdTtlMs, startOf } from '../../../domain/wallet/holds.ts'
import { cases, most } from '../../counts.ts'
import { randomOf } from '../../domain/wallet/model.ts'
import { fresh, now, receipt, type World, walletWorld } from './wallet-world.ts'

let world: World
beforeAll(async () => {
  world = await walletWorld()
})
afterAll(() => world.close())

interface Call {
  callId: string
  tokenId: string
  micros: number
  /** When the call began, in ms since 1970. */
  at: number
}

type Caps = number | null | Partial<TokenCaps>

const count = (tokenId: string, cap: Caps) => ({
  tokenId,
  caps: { ...noCaps, ...(typeof cap === 'object' ? cap : { total: cap }) },
  name: 'laptop',
})

/** The ancestors of a token. */
const aboveOf = (tokenId: string): string[] => (tokenId === 'tok_below' ? ['tok_a'] : [])

async function hold(
  userId: string,
  tokenId: string,
  cap: Caps,
  bound: number,
  least = bound,
  at = now,
  capAbove: Caps = null,
): Promise<Call> {
  const callId = fresh('call')
  const budget = { ...count(tokenId, cap), above: aboveOf(tokenId).map((id) => count(id, capAbove)) }
  const ask = { boundMicros: bound, minimumMicros: least, budget, trigger: 'api' as const }
  const result = await world.port.hold(userId, callId, ask, at)
  if (!result.held) throw new Error(result.because)
  return { callId, tokenId, micros: result.micros, at }
}

const settle = (userId: string, { callId, tokenId, micros, at }: Call, cost: number) => {
  const said = { ...receipt(callId, micros), trigger: 'api' as const, tokenId, startedAt: iso(at) }
  const line = { description: 'A call', receipt: said, above: aboveOf(tokenId), at: iso(now) }
  return world.port.settle(userId, callId, cost, line, null)
}

const expire = (userId: string, { callId, tokenId, micros, at }: Call) =>
  world.port.expire(userId, callId, { micros, expiresMs: at + holdTtlMs, trigger: 'api', tokenId }, iso(now))

/** Adds to the sum of a token and to the sums of its ancestors. */
const addUpwards = (sums: Record<string, number>, tokenId: string, micros: number) => {
  for (const id of [tokenId, ...aboveOf(tokenId)]) sums[id] = (sums[id] ?? 0) + micros
}

/** The charges of each token's calls by the ledger plus the open holds: in total, and by day or month. */
async function owedBy(userId: string, period: CapPeriod, nowMs: number): Promise<Record<string, number>> {
  const sums: Record<string, number> = {}
  const add = (tokenId: string | undefined, startedMs: number, micros: number) => {
    if (tokenId && periodAt(period, startedMs) === periodAt(period, nowMs)) addUpwards(sums, tokenId, micros)
  }
  for await (const { receipt: said, amountMicros } of world.port.lines(userId, 0, now * 2))
    add(said?.tokenId, Date.parse(said?.startedAt ?? ''), -amountMicros)
  const { holds } = await world.port.read(userId)
  for (const hold of Object.values(holds)) add(hold.tokenId, startOf(hold), hold.micros)
  return sums
}

const nothing = ([, micros]: [string, number]) => micros !== 0
const withoutZeros = (sums: Record<string, number>) => Object.fromEntries(Object.entries(sums).filter(nothing))

/** The counts of each token in a period, after checking them against the ledger and the holds. */
async function checked(userId: string, period: CapPeriod = 'total', nowMs = now): Promise<Record<string, number>> {
  await world.checked(userId)
  const spent = Object.entries(await world.port.spentByTokens(userId, nowMs))
  const counted = withoutZeros(Object.fromEntries(spent.map(([tokenId, counts]) => [tokenId, counts[period]])))
  expect(counted).toEqual(withoutZeros(await owedBy(userId, period, nowMs)))
  return counted
}

const refused = (thrown: unknown): null => {
  if (thrown instanceof DomainError) return null
  throw thrown
}

describe('a token’s cap', () => {
  it('is not exceeded by fifty concurrent calls', async () => {
    const userId = await world.richUser(1_000_000)
    const calls = await Promise.all(
      Array.from({ length: 50 }, () => hold(userId, 'tok_a', 1_000, 150, 150).catch(refused)),
    )
    const held = calls.flatMap((call) => call ?? [])
    expect(held.length).toBeGreaterThan(0)
    expect(held.length).toBeLessThanOrEqual(6)
    expect((await checked(userId)).tok_a).toBeLessThanOrEqual(1_000)
    for (const call of held) await settle(userId, call, 10)
    expect(await checked(userId)).toEqual({ tok_a: held.length * 10 })
  })

  it('refuses a call that costs more than the cap, with the code of a cap', async () => {
    const userId = await world.richUser(1_000_000)
    await expect(hold(userId, 'tok_a', 100, 101)).rejects.toMatchObject({ code: 'spending-limit' })
    await expect(hold(userId, 'tok_a', 0, 1)).rejects.toMatchObject({ code: 'spending-limit' })
    expect(await hold(userId, 'tok_a', 100, 101, 50)).toMatchObject({ micros: 100 })
    // The token's open call may return enough for this one.
    await expect(hold(userId, 'tok_a', 100, 50)).rejects.toMatchObject({ code: 'rate-limited' })
    expect(await hold(userId, 'tok_b', null, 900)).toMatchObject({ micros: 900 })
    expect(await checked(userId)).toEqual({ tok_a: 100, tok_b: 900 })
  })

  it('is the reason for refusal while the wallet has money; without money the reason is the empty wallet', async () => {
    const poor = await world.richUser(0)
    await expect(hold(poor, 'tok_a', 0, 1)).rejects.toMatchObject({ code: 'wallet-empty' })
    await expect(hold(fresh('usr'), 'tok_a', null, 1)).rejects.toMatchObject({ code: 'wallet-empty' })
  })

  it('counts the spending of descendant tokens, also from before it was set, and limits them', async () => {
    const userId = await world.richUser(1_000_000)
    await settle(userId, await hold(userId, 'tok_below', null, 100), 80)
    await expect(hold(userId, 'tok_below', null, 21, 21, now, 100)).rejects.toMatchObject({ code: 'spending-limit' })
    const last = await hold(userId, 'tok_below', null, 30, 20, now, 100)
    expect(last).toMatchObject({ micros: 20 })
    await expect(hold(userId, 'tok_a', 100, 1)).rejects.toMatchObject({ code: 'rate-limited' })
    await expire(userId, last)
    await settle(userId, last, 20)
    await expect(hold(userId, 'tok_a', 100, 1)).rejects.toMatchObject({ code: 'spending-limit' })
    expect(await checked(userId)).toEqual({ tok_a: 100, tok_below: 100 })
  })

  it('counts a call that ended after its hold had expired, once', async () => {
    const userId = await world.richUser(1_000)
    const call = await hold(userId, 'tok_a', 500, 300)
    await expire(userId, call)
    expect(await checked(userId)).toEqual({})
    await Promise.all([settle(userId, call, 200), settle(userId, call, 200)])
    expect(await checked(userId)).toEqual({ tok_a: 200 })
  })
})

/** Just before a month ends, just after, and a day later. */
const moments = ['2026-11-30T23:59:59.000Z', '2026-12-01T00:00:01.000Z', '2026-12-02T09:00:00.000Z'].map(Date.parse)
const [lastOfMonth = 0, firstOfMonth = 0, nextDay = 0] = moments

describe('a token’s cap of a day or month', () => {
  it.each(['day', 'month'] as const)('of a %s is not exceeded by fifty concurrent calls', async (period) => {
    const userId = await world.richUser(1_000_000)
    const calls = await Promise.all(
      Array.from({ length: 50 }, () => hold(userId, 'tok_a', { [period]: 1_000 }, 150, 150).catch(refused)),
    )
    const held = calls.flatMap((call) => call ?? [])
    expect(held.length).toBeGreaterThan(0)
    expect((await checked(userId, period)).tok_a).toBeLessThanOrEqual(1_000)
    for (const call of held) await settle(userId, call, 10)
    expect(await checked(userId, period)).toEqual({ tok_a: held.length * 10 })
  })

  it('resets when its day or month begins, and the refusal says when', async () => {
    const userId = await world.richUser(1_000_000)
    const caps = { day: 100, month: 150 }
    const call = await hold(userId, 'tok_a', caps, 100, 100, lastOfMonth)
    await settle(userId, call, 100)
    const refusal = expect.objectContaining({
      code: 'spending-limit',
      message: expect.stringMatching(
        /\$0\.00 left of the \$0\.0001 it may spend in a day.*tokens page.*or wait until 00:00 UTC/,
      ),
    })
    await expect(hold(userId, 'tok_a', caps, 1, 1, lastOfMonth)).rejects.toEqual(refusal)
    await settle(userId, await hold(userId, 'tok_a', caps, 100, 100, firstOfMonth), 100)
    // The month has 50 left, although the day is new.
    expect(await hold(userId, 'tok_a', caps, 100, 10, nextDay)).toMatchObject({ micros: 50 })
    await expect(hold(userId, 'tok_a', { month: 150 }, 50, 50, nextDay)).rejects.toMatchObject({ code: 'rate-limited' })
    await expect(hold(userId, 'tok_a', { month: 100 }, 1, 1, nextDay)).rejects.toMatchObject({
      code: 'spending-limit',
      message: expect.stringContaining('in a month'),
    })
    expect(await checked(userId, 'month', nextDay)).toEqual({ tok_a: 150 })
    expect(await checked(userId, 'day', nextDay)).toEqual({ tok_a: 50 })
  })

  it('counts spending from before it was set', async () => {
    const userId = await world.richUser(1_000_000)
    await settle(userId, await hold(userId, 'tok_a', null, 100), 80)
    await expect(hold(userId, 'tok_a', { day: 100 }, 21)).rejects.toMatchObject({ code: 'spending-limit' })
    expect(await hold(userId, 'tok_a', { day: 100 }, 20)).toMatchObject({ micros: 20 })
  })

  it('returns unused money to the day on which the call began', async () => {
    const userId = await world.richUser(1_000_000)
    const call = await hold(userId, 'tok_a', { day: 100 }, 100, 100, lastOfMonth)
    expect(await hold(userId, 'tok_a', { day: 100, month: 100 }, 100, 100, firstOfMonth)).toMatchObject({ micros: 100 })
    await settle(userId, call, 40)
    expect(await checked(userId, 'day', lastOfMonth)).toEqual({ tok_a: 40 })
    expect(await checked(userId, 'month', firstOfMonth)).toEqual({ tok_a: 100 })
  })

  it('stores only the counts of the current period, however long a token is used', async () => {
    const userId = await world.richUser(1_000_000)
    for (let day = 0; day < 40; day++)
      await settle(userId, await hold(userId, 'tok_a', { day: 100 }, 50, 50, now + 2 * day * dayMs), 50)
    const item = await get(world.env.table('wallets'), { userId, item: 'spent#tok_a' })
    expect(Object.keys(item ?? {}).sort()).toEqual(['d20270206', 'item', 'm202702', 'spent', 'userId'])
    expect(await checked(userId)).toEqual({ tok_a: 2_000 })
  })
})

/**
 * Runs concurrent moves of all kinds by two capped tokens, a child of the first, and the user's machine, some of them
 * twice; then checks the counts and the books.
 */
async function interleave(seed: number): Promise<void> {
  const random = randomOf(seed)
  const userId = await world.richUser(500 + random(4_000))
  const some = (most: number) => (random(2) ? random(most) : null)
  const capsOf = (): TokenCaps => ({ total: some(1_500), day: some(900), month: some(1_200) })
  const caps = { tok_a: capsOf(), tok_b: capsOf(), tok_below: capsOf() }
  const above: { call: Call; micros: number }[] = []
  const calls: Call[] = []
  const begin = async () => {
    const tokenId = (['tok_a', 'tok_b', 'tok_below'] as const)[random(3)] ?? 'tok_a'
    const bound = 1 + random(900)
    const at = moments[random(moments.length)]
    const call = await hold(userId, tokenId, caps[tokenId], bound, 1 + random(bound), at, caps.tok_a).catch(refused)
    if (call) calls.push(call)
  }
  await begin()
  await begin()
  const end = async (call: Call) => {
    // A call has one cost, however often its settlement is retried.
    const cost = randomOf(call.micros)(2 * call.micros)
    const line = await settle(userId, call, cost).catch(refused)
    // A call whose hold expired has nothing reserved, so its whole cost is above the hold.
    const within = line?.description.endsWith('(settled late)') ? 0 : call.micros
    if (line) above.push({ call, micros: Math.max(0, -line.amountMicros - within) })
  }
  const moves = [
    begin,
    end,
    end,
    ({ callId }: Call) => world.port.void(userId, callId),
    (call: Call) => expire(userId, call),
    () => world.hold(userId, 1 + random(400)).catch(refused),
    () => world.port.creditOnce(userId, `k${random(2)}`, 1 + random(900), 'topup', 'Credit', iso(now)),
  ]
  const five = Array.from({ length: 5 }, () => moves[random(moves.length)])
  await Promise.all(
    five.map((move) =>
      move?.(calls[random(calls.length)] ?? { callId: 'call_none', tokenId: 'tok_a', micros: 1, at: now }),
    ),
  )
  // The store drops the count of a day or month that was over when a call began.
  const latest = Math.max(...calls.map(({ at }) => at))
  const counted = moments.filter((ms) => latest - ms < minuteMs)
  for (const period of capPeriods) {
    for (const nowMs of counted) {
      const spent = await checked(userId, period, nowMs)
      for (const tokenId of ['tok_a', 'tok_b', 'tok_below'] as const) {
        const passed = above
          .filter(({ call }) => [call.tokenId, ...aboveOf(call.tokenId)].includes(tokenId))
          .filter(({ call }) => periodAt(period, call.at) === periodAt(period, nowMs))
          .reduce((sum, { micros }) => sum + micros, 0)
        const most = (caps[tokenId][period] ?? Number.MAX_SAFE_INTEGER) + passed
        expect(spent[tokenId] ?? 0).toBeLessThanOrEqual(most)
      }
    }
  }
}

describe('any interleaving of calls with tokens', () => {
  it('counts for each token the charged and held amounts, within its caps except for costs above a hold', async () => {
    const count = cases(most(1_000, 300))
    let seed = 0
    const worker = async () => {
      while (seed < count) {
        const mine = ++seed
        await interleave(mine).catch((error: unknown) => {
          throw new Error(`interleaving ${mine}: ${error instanceof Error ? error.message : error}`)
        })
      }
    }
    await Promise.all(Array.from({ length: 12 }, worker))
    expect(seed).toBe(count)
  }, 1_800_000)
})
