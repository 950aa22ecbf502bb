import { type OutboxFor, outboxOf } from '../../../app/outbox/outbox.ts'
import { startTrial } from '../../../app/trial/start-trial.ts'
import { auditWallet } from '../../../app/wallet/books.ts'
import type { UserRecord } from '../../../domain/account/user.ts'
import { DomainError } from '../../../domain/errors.ts'
import { dateOf, dayMs } from '../../../domain/time.ts'
import { mailboxOf, mailDomainOf } from '../../../domain/trial/mailbox.ts'
import type { TrialTerms } from '../../../domain/trial/terms.ts'
import { type Fault, inject } from '../../adapters/engine.ts'
import { full, most } from '../../counts.ts'
import { randomOf } from '../../domain/wallet/model.ts'
import { startMs } from '../../world.ts'
import { openTrialWorld, type TrialWorld } from './trial-world.ts'

let world: TrialWorld
beforeAll(async () => {
  world = await openTrialWorld()
})
afterAll(() => world.close())

const faults: Fault[] = ['before', 'after', 'throttled', 'conflict']

const increment = <K>(counts: Map<K, number>, key: K, by: number) => counts.set(key, (counts.get(key) ?? 0) + by)

/** Visitors with few mailboxes and networks, around a midnight of their own, with different clocks and faults. */
async function crowd(seed: number): Promise<number> {
  const random = randomOf(seed)
  const pick = <T>(all: readonly T[]): T => all[random(all.length)] as T // safe because no list here is empty
  const creditMicros = 1 + random(100_000)
  const terms: TrialTerms = {
    budgetMicros: creditMicros * (1 + random(4)) + random(creditMicros),
    creditMicros,
    hours: 24,
    perNetwork: 1 + random(3),
    perDomain: 1 + random(3),
  }
  world.setTerms(terms)
  const midnight = Math.ceil(startMs / dayMs) * dayMs + seed * 10 * dayMs
  const networks = [`2001:db8:${seed.toString(16)}:1::/64`, `2001:db8:${seed.toString(16)}:2::/64`]
  const domains = [`a${seed}.example`, `sub.a${seed}.example`, `b${seed}.example`]
  const emails = Array.from({ length: 6 }, (_, i) => `u${i % 4}${pick(['', '+x', '+y'])}@${pick(domains)}`)
  const users: UserRecord[] = []
  for (const email of new Set(emails))
    users.push((await world.ports.users.findOrCreate(email, world.newUserId(), midnight)).user)
  const visit = async () => {
    const user = pick(users)
    const atMs = midnight - 3_000 + random(6_000)
    const seen = (await world.ports.users.find(user.id)) ?? user
    const outboxFor: OutboxFor = (_, followUps = []) => outboxOf(world.ports, user.id, followUps)
    // Any response except a refusal is the fault's, and the visitor retries.
    return startTrial(world.ports, random(2) ? user : seen, pick(networks), atMs, outboxFor).then(
      () => true,
      (error: unknown) => {
        if (error instanceof DomainError && error.code !== 'conflict') throw error
        return false
      },
    )
  }
  for (let round = 0; round < 4; round++) {
    const off = random(2) ? inject(pick(faults), random(12)) : () => false
    await Promise.all(Array.from({ length: 1 + random(5) }, visit))
    off()
  }
  return check(users, terms, midnight)
}

/**
 * Checks that the grants are within every limit, and that account, ledger and day agree.
 * @returns the number of trials
 */
async function check(users: readonly UserRecord[], terms: TrialTerms, midnight: number): Promise<number> {
  const byDay = new Map<string, number>()
  const byMailbox = new Map<string, number>()
  const byDomain = new Map<string, number>()
  let given = 0
  for (const { id, email } of users) {
    const trial = (await world.ports.users.find(id))?.trial ?? null
    expect(await world.givenTo([id])).toBe(trial?.creditMicros ?? 0)
    expect((await auditWallet(world.ports, id)).differences).toEqual([])
    const grace = await world.ports.gracePeriods.find(id)
    expect(grace?.dueMs ?? null).toBe(trial && Date.parse(trial.endsAt))
    if (!trial) continue
    const day = trial.startedAt.slice(0, 10)
    given++
    increment(byDay, day, trial.creditMicros)
    increment(byMailbox, mailboxOf(email), 1)
    increment(byDomain, `${day} ${mailDomainOf(email)}`, 1)
  }
  for (const ms of [midnight - 1, midnight]) {
    const { givenMicros, trials } = await world.ports.trialBudget.day(ms)
    expect(givenMicros).toBe(byDay.get(dateOf(ms)) ?? 0)
    expect(givenMicros).toBe(trials * terms.creditMicros)
    expect(givenMicros).toBeLessThanOrEqual(terms.budgetMicros)
    // The visitors use two networks, each with its own limit.
    expect(trials).toBeLessThanOrEqual(2 * terms.perNetwork)
  }
  for (const count of byMailbox.values()) expect(count).toBe(1)
  for (const count of byDomain.values()) expect(count).toBeLessThanOrEqual(terms.perDomain)
  return given
}

describe('trials under any interleaving', () => {
  it('stay within the budget and the limits per network, mail domain and mailbox, with balanced books', async () => {
    let given = 0
    const count = full ? most(1_000, 250) : 60
    for (let seed = 1; seed <= count; seed++)
      given += await crowd(seed).catch((error: unknown) => {
        throw new Error(`crowd ${seed}: ${error instanceof Error ? error.message : error}`)
      })
    expect(given).toBeGreaterThan(count)
  }, 1_800_000)
})
