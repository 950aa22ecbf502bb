import { transact } from '../../../adapters/dynamo/calls.ts'
import { putInput } from '../../../adapters/dynamo/wallet/writes.ts'
import { readUsage, sumUpDays } from '../../../app/wallet/usage.ts'
import { DomainError } from '../../../domain/errors.ts'
import { dateOf, dayMs, iso } from '../../../domain/time.ts'
import { holdTtlMs } from '../../../domain/wallet/holds.ts'
import type { UsageReceipt } from '../../../domain/wallet/ledger.ts'
import {
  addUsage,
  dayClosesMs,
  foldDay,
  groupKeyOf,
  isCall,
  mostGroups,
  noUsage,
  spentIn,
  type UsageDay,
  usageOfLine,
} from '../../../domain/wallet/usage.ts'
import { cases, most } from '../../counts.ts'
import { randomOf } from '../../domain/wallet/model.ts'
import { counted, type Fault, inject, quietly } from '../engine.ts'
import { fresh, now, receipt, type World, walletWorld } from './wallet-world.ts'

let world: World
beforeAll(async () => {
  world = await walletWorld()
})
afterAll(() => world.close())

interface Call {
  callId: string
  micros: number
  at: number
  about: Partial<UsageReceipt>
}

/** Kinds of calls: by the agent, by a token, and without a proven turn. */
const kinds: Partial<UsageReceipt>[] = [
  { trigger: 'chat', promptId: 'prm_1', conversation: 'main' },
  { trigger: 'chat', promptId: 'prm_2', conversation: 'cnv_a', model: 'openai/gpt-5.6-luna' },
  { trigger: 'heartbeat', promptId: undefined, conversation: undefined },
  { trigger: 'api', promptId: undefined, conversation: undefined, tokenId: 'tok_a' },
]

async function hold(userId: string, micros: number, about: Partial<UsageReceipt>, at: number): Promise<Call> {
  const callId = fresh('call')
  const spender = about.tokenId
    ? { budget: { tokenId: about.tokenId, name: 'laptop', caps: { total: null, day: null, month: null }, above: [] } }
    : { generation: 1 }
  const ask = { boundMicros: micros, minimumMicros: 1, trigger: about.trigger, ...spender } as const
  const held = await world.port.hold(userId, callId, ask, at)
  if (!held.held) throw new DomainError('conflict', held.because)
  return { callId, micros: held.micros, at, about }
}

const settle = (userId: string, { callId, micros, at, about }: Call, cost: number) =>
  world.port.settle(
    userId,
    callId,
    cost,
    { description: 'A call', receipt: { ...receipt(callId, micros), ...about, startedAt: iso(at) }, at: iso(at) },
    null,
  )

const expire = (userId: string, { callId, micros, at, about }: Call) => {
  const held = { micros, expiresMs: at + holdTtlMs, trigger: about.trigger ?? 'chat', tokenId: about.tokenId }
  return world.port.expire(userId, callId, held, iso(at))
}

const refused = (thrown: unknown): null => {
  if (thrown instanceof DomainError) return null
  throw thrown
}

/** Sums of the ledger by day, independent of the code under test. */
async function ledgerDays(userId: string): Promise<UsageDay[]> {
  const days = new Map<string, UsageDay>()
  for await (const line of world.port.lines(userId, 0, now * 2)) {
    if (!isCall(line)) continue
    const day = line.at.slice(0, 10)
    const { groups }: Pick<UsageDay, 'groups'> = days.get(day) ?? { groups: {} }
    const key = groupKeyOf(line.receipt)
    groups[key] = addUsage(groups[key] ?? noUsage, usageOfLine(line))
    days.set(day, { day, groups })
  }
  return [...days.values()].sort((a, b) => (a.day < b.day ? -1 : 1))
}

const usage = async (userId: string, nowMs: number) => {
  const range = { fromMs: Date.parse(dateOf(now - 9 * dayMs)), toMs: Date.parse(dateOf(now + 4 * dayMs)) }
  const days = await readUsage({ wallets: world.port }, userId, range, nowMs)
  return days.filter(({ groups }) => Object.keys(groups).length > 0)
}

const faults: (Fault | null)[] = ['before', 'after', 'throttled', 'conflict', null]

/**
 * Calls on two days that end in different ways, some of them twice, with one failing request and with credits and
 * debits in between.
 */
async function interleave(seed: number): Promise<void> {
  const random = randomOf(seed)
  const userId = await quietly(() => world.richUser(2_000 + random(4_000)))
  const calls: Call[] = []
  const begin = async () => {
    const kind = kinds[random(kinds.length)] ?? {}
    const call = await hold(userId, 1 + random(900), kind, now - random(2) * dayMs).catch(refused)
    if (call) calls.push(call)
  }
  await begin()
  await begin()
  const end = async (call: Call) =>
    void (await settle(userId, call, randomOf(call.micros)(2 * call.micros)).catch(refused))
  const moves = [
    begin,
    end,
    end,
    end,
    ({ callId }: Call) => world.port.void(userId, callId),
    (call: Call) => expire(userId, call),
    () => world.port.creditOnce(userId, `k${random(2)}`, 1 + random(900), 'topup', 'Credit', iso(now)),
    () => world.debit(userId, 1 + random(300)).catch(refused),
  ]
  const nothing: Call = { callId: 'call_none', micros: 1, at: now, about: {} }
  for (let round = 0; round < 2; round++) {
    const four = Array.from({ length: 4 }, () => moves[random(moves.length)])
    await Promise.all(four.map((move) => move?.(calls[random(calls.length)] ?? nothing)))
  }
  await quietly(async () => {
    await world.checked(userId)
    const truth = await ledgerDays(userId)
    expect(await usage(userId, now)).toEqual(truth)
    // The first day is over and summed up; its counts stay for some time but no longer matter.
    const today = Date.parse(dateOf(now))
    await sumUpDays({ wallets: world.port }, userId, today - 7 * dayMs, today, today + dayClosesMs)
    expect(await usage(userId, now)).toEqual(truth)
  })
}

describe('counted usage', () => {
  it('matches the ledger, however calls end, concurrently or twice', async () => {
    const count = cases(most(2_000, 600))
    let seed = 0
    const worker = async () => {
      while (seed < count) {
        const mine = ++seed
        await interleave(mine).catch((error: unknown) => {
          throw new Error(`interleaving ${mine}: ${error instanceof Error ? error.message : error}`)
        })
      }
    }
    await Promise.all(Array.from({ length: 8 }, worker))
  }, 1_800_000)

  it.each(faults)(
    'matches the ledger when a request fails with "%s"',
    async (fault) => {
      for (let seed = 1; seed <= cases(most(60, 20), 6); seed++) {
        if (fault) inject(fault, randomOf(seed)(14))
        await interleave(10_000 + seed)
      }
    },
    1_800_000,
  )

  it('and the charge are both missing when the function dies before the write', async () => {
    const userId = await world.richUser(1_000)
    const call = await hold(userId, 500, kinds[0] ?? {}, now)
    expect(await usage(userId, now)).toEqual([])
    await expire(userId, call)
    expect(await usage(userId, now)).toEqual([])
    await settle(userId, call, 200)
    await settle(userId, call, 200)
    expect(await usage(userId, now)).toMatchObject([{ day: '2026-11-20' }])
    expect((await usage(userId, now)).map(spentIn)).toEqual([200])
    await world.checked(userId)
  })
})

describe('reading usage', () => {
  const month = { fromMs: now - 30 * dayMs, toMs: now + dayMs }
  const read = async (userId: string) => {
    const { calls, result } = await counted(() => readUsage({ wallets: world.port }, userId, month, now))
    return { requests: calls.length, sum: result.reduce((sum, day) => sum + spentIn(day), 0) }
  }

  it('takes two requests, whatever the number of calls', async () => {
    const userId = await world.richUser(400_000)
    expect(await read(userId)).toEqual({ requests: 2, sum: 0 })
    for (let i = 0; i < 60; i++) await settle(userId, await hold(userId, 10, kinds[i % 4] ?? {}, now), 10)
    expect(await read(userId)).toEqual({ requests: 2, sum: 600 })
  })

  it('works for days stored before tokens and conversations were counted', async () => {
    const userId = await world.richUser(1_000)
    const sum = { calls: 3, amountMicros: 77, inputTokens: 5, outputTokens: 6 }
    const old = { userId, item: 'day#2026-11-02', day: '2026-11-02', groups: { 'openai/gpt-4o|chat': sum } }
    await transact([{ Put: putInput('wallets', old) }])
    expect(await read(userId)).toEqual({ requests: 2, sum: 77 })
  })

  it('returns a small day for very many conversations, with its full cost', async () => {
    const userId = await world.richUser(0)
    const groups = Object.fromEntries(
      Array.from({ length: 900 }, (_, i) => [`m|chat||cnv_${i}`, { ...noUsage, calls: 1, amountMicros: 1 + (i % 7) }]),
    )
    await world.port.keepUsageDay(userId, foldDay({ day: '2026-11-19', groups }))
    const [day] = await world.port.usageDays(userId, '2026-11-19', '2026-11-19')
    expect(Object.keys(day?.groups ?? {}).length).toBeLessThanOrEqual(mostGroups)
    expect(day && spentIn(day)).toBe(spentIn({ day: '', groups }))
  })

  it('returns nothing of another user', async () => {
    const [mine, other] = [await world.richUser(1_000), await world.richUser(1_000)]
    await settle(mine, await hold(mine, 500, kinds[3] ?? {}, now), 300)
    expect(await usage(other, now)).toEqual([])
    expect(await world.port.spentByTokens(other, now)).toEqual({})
  })
})
