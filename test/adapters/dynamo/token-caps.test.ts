import { DomainError } from '../../../domain/errors.ts'
import { iso } from '../../../domain/time.ts'
import { holdTtlMs } from '../../../domain/wallet/holds.ts'
import { cases } from '../../counts.ts'
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
}

const budget = (tokenId: string, capMicros: number | null) => ({ tokenId, capMicros, name: 'laptop' })

async function hold(userId: string, tokenId: string, cap: number | null, bound: number, least = bound): Promise<Call> {
  const callId = fresh('call')
  const ask = { boundMicros: bound, minimumMicros: least, budget: budget(tokenId, cap), trigger: 'api' as const }
  const result = await world.port.hold(userId, callId, ask, now)
  if (!result.held) throw new Error(result.because)
  return { callId, tokenId, micros: result.micros }
}

const settle = (userId: string, { callId, tokenId, micros }: Call, cost: number) => {
  const said = { ...receipt(callId, micros), trigger: 'api' as const, tokenId }
  return world.port.settle(userId, callId, cost, { description: 'A call', receipt: said, at: iso(now) }, null)
}

const expire = (userId: string, { callId, tokenId, micros }: Call) =>
  world.port.expire(userId, callId, { micros, expiresMs: now + holdTtlMs, trigger: 'api', tokenId }, iso(now))

/** What each token's calls were charged by the ledger, and what of them is held. */
async function owedBy(userId: string): Promise<Record<string, number>> {
  const sums: Record<string, number> = {}
  const add = (tokenId: string | undefined, micros: number) => {
    if (tokenId) sums[tokenId] = (sums[tokenId] ?? 0) + micros
  }
  for await (const line of world.port.lines(userId, 0, now * 2)) add(line.receipt?.tokenId, -line.amountMicros)
  const { holds } = await world.port.read(userId)
  for (const { tokenId, micros } of Object.values(holds)) add(tokenId, micros)
  return sums
}

const nothing = ([, micros]: [string, number]) => micros !== 0
const withoutZeros = (sums: Record<string, number>) => Object.fromEntries(Object.entries(sums).filter(nothing))

async function checked(userId: string): Promise<Record<string, number>> {
  await world.checked(userId)
  const counted = withoutZeros(await world.port.spentByTokens(userId))
  expect(counted).toEqual(withoutZeros(await owedBy(userId)))
  return counted
}

const refused = (thrown: unknown): null => {
  if (thrown instanceof DomainError) return null
  throw thrown
}

describe('a token’s cap', () => {
  it('is not passed by fifty calls at once', async () => {
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

  it('lets nobody begin with more than it, and refuses as what a cap refuses', async () => {
    const userId = await world.richUser(1_000_000)
    await expect(hold(userId, 'tok_a', 100, 101)).rejects.toMatchObject({ code: 'spending-limit' })
    await expect(hold(userId, 'tok_a', 0, 1)).rejects.toMatchObject({ code: 'spending-limit' })
    expect(await hold(userId, 'tok_a', 100, 101, 50)).toMatchObject({ micros: 100 })
    // Its own call under way may give back what this one needs.
    await expect(hold(userId, 'tok_a', 100, 50)).rejects.toMatchObject({ code: 'rate-limited' })
    expect(await hold(userId, 'tok_b', null, 900)).toMatchObject({ micros: 900 })
    expect(await checked(userId)).toEqual({ tok_a: 100, tok_b: 900 })
  })

  it('is told of when the wallet has money, and an empty wallet when it has none', async () => {
    const poor = await world.richUser(0)
    await expect(hold(poor, 'tok_a', 0, 1)).rejects.toMatchObject({ code: 'wallet-empty' })
    await expect(hold(fresh('usr'), 'tok_a', null, 1)).rejects.toMatchObject({ code: 'wallet-empty' })
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

/** A user's two capped tokens and their machine, moves of any kind at once, some twice; then the counts and the books. */
async function interleave(seed: number): Promise<void> {
  const random = randomOf(seed)
  const userId = await world.richUser(500 + random(4_000))
  const caps: Record<string, number | null> = { tok_a: random(1_500), tok_b: random(3) ? random(1_500) : null }
  const above: Record<string, number> = { tok_a: 0, tok_b: 0 }
  const calls: Call[] = []
  const begin = async () => {
    const tokenId = random(2) ? 'tok_a' : 'tok_b'
    const bound = 1 + random(900)
    const call = await hold(userId, tokenId, caps[tokenId] ?? null, bound, 1 + random(bound)).catch(refused)
    if (call) calls.push(call)
  }
  await begin()
  await begin()
  const end = async (call: Call) => {
    // What a call costs is one amount, however often its settlement is tried.
    const cost = randomOf(call.micros)(2 * call.micros)
    const line = await settle(userId, call, cost).catch(refused)
    // One whose hold has expired has none left: all that it costs is above it.
    const within = line?.description.endsWith('(settled late)') ? 0 : call.micros
    if (line) above[call.tokenId] = (above[call.tokenId] ?? 0) + Math.max(0, -line.amountMicros - within)
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
  const some = Array.from({ length: 5 }, () => moves[random(moves.length)])
  await Promise.all(
    some.map((move) => move?.(calls[random(calls.length)] ?? { callId: 'call_none', tokenId: 'tok_a', micros: 1 })),
  )
  for (const [tokenId, micros] of Object.entries(await checked(userId)))
    expect(micros).toBeLessThanOrEqual((caps[tokenId] ?? Number.MAX_SAFE_INTEGER) + (above[tokenId] ?? 0))
}

describe('any interleaving of tokens’ calls', () => {
  it('counts for each token what the ledger charged and what is held, within its cap but for costs above a hold', async () => {
    const count = cases(2_500)
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
