import fc from 'fast-check'
import { books } from '../../../adapters/dynamo/wallet/books.ts'
import type { Wallets } from '../../../app/ports/wallet.ts'
import { newCheckout } from '../../../domain/billing/checkout.ts'
import { iso } from '../../../domain/time.ts'
import { newAutoTopup } from '../../../domain/wallet/auto-topup.ts'
import { newCaps, triggers } from '../../../domain/wallet/limits.ts'
import { newWallet } from '../../../domain/wallet/state.ts'
import { seeded } from '../../counts.ts'
import { counted } from '../engine.ts'
import { fresh, now, type World, walletWorld } from './wallet-world.ts'

let world: World
let userId: string
let callId: string
beforeAll(async () => {
  world = await walletWorld()
  userId = await world.richUser(1_000)
  callId = await world.hold(userId, 700)
})
afterAll(() => world.close())

const at = iso(now)
const words = { description: 'Anything', at }

/** Values that are not an amount of money: a fraction, a non-number, or a number too large to count exactly. */
const noAmount = fc.oneof(
  fc.double({ min: -1e9, max: 1e9, noNaN: true, noDefaultInfinity: true }).filter((value) => !Number.isInteger(value)),
  fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 2 ** 53, -(2 ** 53), 2 ** 60, 1e300),
)
const belowZero = fc.integer({ min: -1_000_000, max: -1 })

type Attempt = (bad: number) => unknown

const autoTopup = (bad: number) =>
  world.port.saveAutoTopup(fresh('usr'), {
    ...newAutoTopup({ enabled: true, thresholdCents: 500, amountCents: 500, monthlyCapCents: 500 }),
    chargedMicros: bad,
  })

/** Every method of the wallet that takes an amount; the other methods, listed by name, take none. */
const verbs = {
  hold: [
    (bad) => world.port.hold(userId, fresh('call'), { boundMicros: bad, minimumMicros: 1, generation: 1 }, now),
    (bad) => world.port.hold(userId, fresh('call'), { boundMicros: 5, minimumMicros: bad, generation: 1 }, now),
  ],
  settle: [(bad) => world.settle(userId, callId, bad, 700), (bad) => world.settle(userId, fresh('call'), bad, 700)],
  creditCheckout: [
    async (bad) =>
      world.port.creditCheckout(
        newCheckout(fresh('chk'), { userId, kind: 'topup', amountMicros: bad }, now),
        'Top-up',
        at,
      ),
  ],
  creditOnce: [(bad) => world.port.creditOnce(userId, fresh('key'), bad, 'topup', 'Credit', at)],
  debitOnce: [
    (bad) =>
      world.port.debitOnce(userId, { key: fresh('re'), payment: null, amountMicros: bad, type: 'refund', ...words }),
    (bad) =>
      world.port.debitOnce(userId, { key: fresh('re'), payment: 'start', amountMicros: bad, type: 'refund', ...words }),
  ],
  setCaps: (['day', ...triggers] as const).map(
    (of) => (bad) => world.port.setCaps(userId, { ...newCaps, [of]: bad }, now),
  ),
  recordCheck: [(bad) => world.port.recordCheck(userId, { rate: bad, from: 'none', to: 'low' })],
  noteReached: [
    (bad) => world.port.noteReached(userId, { of: 'day', period: '2026-11-20', capMicros: bad, token: null }, now),
  ],
  // The rules check the amount of `startCharge`, so this method only writes it.
  saveAutoTopup: [],
  keepUsageDay: [],
} satisfies Partial<Record<keyof Wallets, Attempt[]>>

const withoutAmount = [
  'payments',
  'admitMachine',
  ...([
    'open',
    'read',
    'spentByTokens',
    'void',
    'expire',
    'undoDebit',
    'transactions',
    'transaction',
    'lines',
    'failedCalls',
    'freeze',
  ] as const),
  ...([
    'unfreeze',
    'wasCredited',
    'autoTopup',
    'due',
    'scheduleCheck',
    'scheduleTopUp',
    'usageDays',
    'usageCounts',
  ] as const),
] satisfies (keyof Wallets)[]

const doors: Record<string, Attempt[]> = {
  ...verbs,
  'a checkout': [
    (bad) => world.ports.checkouts.create(newCheckout(fresh('chk'), { userId, kind: 'topup', amountMicros: bad }, now)),
  ],
  'a day’s limit': (['amountMicros', 'limitMicros'] as const).map((name) => (bad) => {
    const ask = { checkoutId: fresh('chk'), amountMicros: 1, limitMicros: 5, [name]: bad }
    return world.ports.checkouts.count(userId, '2026-11-20', ask)
  }),
  'rebuilt books': (['available', 'owed'] as const).map(
    (name) => (bad) => books(world.env).rewrite(newWallet(userId), { available: 0, total: 0, owed: 0, [name]: bad }),
  ),
}

/** Negative amounts are valid here: a sum of debits, or a total that is owed. */
const whole: Record<string, Attempt[]> = {
  ...doors,
  'settings of automatic top-up': [autoTopup],
  'a day’s usage': [
    (bad) =>
      world.port.keepUsageDay(fresh('usr'), {
        day: '2026-11-20',
        groups: { 'm|chat': { calls: 1, amountMicros: bad, inputTokens: 1, outputTokens: 1 } },
      }),
  ],
  'an expired hold': [(bad) => world.port.expire(userId, callId, { micros: bad, expiresMs: now, trigger: 'chat' }, at)],
  'a total that is known': [(bad) => world.settle(userId, callId, 5, 700, bad)],
  'a total rebuilt': [(bad) => books(world.env).rewrite(newWallet(userId), { available: 0, total: bad, owed: 0 })],
}

const writes = /^(PutItem|UpdateItem|TransactWriteItems)$/

/** Passes invalid amounts to a method; each is rejected before any write. */
async function refuses(door: Attempt, amounts: fc.Arbitrary<number>) {
  await fc.assert(
    fc.asyncProperty(amounts, async (bad) => {
      const { result, calls } = await counted(async () => {
        try {
          await door(bad)
          return 'taken'
        } catch (error) {
          return error instanceof RangeError ? 'refused' : error
        }
      })
      expect(result).toBe('refused')
      expect(calls.filter(({ operation }) => writes.test(operation))).toEqual([])
    }),
    seeded(1_000),
  )
}

const each = (of: Record<string, Attempt[]>) =>
  Object.entries(of).flatMap(([name, all]) => all.map((door, i): [string, number, Attempt] => [name, i + 1, door]))

describe('a fraction of a micro-dollar', () => {
  test.each(each(whole))('is rejected by %s (%i)', (_, __, door) => refuses(door, noAmount))
})

describe('a negative amount', () => {
  test.each(each(doors))('is rejected by %s (%i)', (_, __, door) => refuses(door, belowZero))
})

describe('the lists above', () => {
  test('name every method of the wallet, and the wallet is unchanged', async () => {
    expect([...Object.keys(verbs), ...withoutAmount].sort()).toEqual(Object.keys(world.port).sort())
    expect(await world.checked(userId)).toMatchObject({ available: 300, total: 1_000, owed: 0, caps: newCaps })
  })
})
