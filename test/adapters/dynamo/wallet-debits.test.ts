import type { Debit } from '../../../app/ports/wallet.ts'
import type { CheckoutRecord } from '../../../domain/billing/checkout.ts'
import { iso } from '../../../domain/time.ts'
import { cases } from '../../counts.ts'
import { inject } from '../engine.ts'
import { fresh, now, type World, walletWorld } from './wallet-world.ts'

let world: World
beforeAll(async () => {
  world = await walletWorld()
})
afterAll(() => world.close())

const topUp = async (amountMicros: number, userId = fresh('usr')): Promise<CheckoutRecord> => {
  const facts = { kind: 'topup' as const, plan: null, sessionId: null, createdAt: iso(now), state: 'pending' as const }
  const record = { id: fresh('chk'), userId, amountMicros, ...facts }
  await world.ports.checkouts.create(record)
  return record
}
const credit = (record: CheckoutRecord) => world.port.creditCheckout(record, 'Top-up', iso(now))
const debit = (userId: string, key: string, payment: string | null, amountMicros: number, type: Debit['type']) =>
  world.port.debitOnce(userId, { key, payment, amountMicros, type, description: 'Back', at: iso(now) })

describe('a debit', () => {
  it('takes from the available balance, once per key', async () => {
    const record = await topUp(10_000)
    await credit(record)
    const again = () => debit(record.userId, 'refund#re_1', record.id, 4_000, 'refund')
    const lines = await Promise.all([again(), again(), again()])
    expect(lines.filter((line) => line !== null)).toHaveLength(1)
    expect(lines.find((line) => line)).toMatchObject({ type: 'refund', amountMicros: -4_000, balanceMicros: 6_000 })
    expect(await again()).toBeNull()
    expect(await world.checked(record.userId)).toMatchObject({ available: 6_000, total: 6_000, owed: 0 })
  })

  it('owes the rest when the balance is too small; credits pay the debt first', async () => {
    const record = await topUp(10_000)
    await credit(record)
    await debit(record.userId, 'spent', null, 9_000, 'adjustment')
    await debit(record.userId, 'dispute#dp_1', record.id, 10_000, 'dispute')
    expect(await world.checked(record.userId)).toMatchObject({ available: 0, owed: 9_000, total: -9_000 })
    await credit(await topUp(12_000, record.userId))
    expect(await world.checked(record.userId)).toMatchObject({ available: 3_000, owed: 0, total: 3_000 })
  })

  it('never takes more of a payment than it credited, however many debits run at once', async () => {
    const record = await topUp(10_000)
    await credit(record)
    await world.port.creditOnce(record.userId, 'period', 50_000, 'subscription_credit', 'Included', iso(now))
    await Promise.all([1, 2, 3, 4].map((n) => debit(record.userId, `refund#re_${n}`, record.id, 4_000, 'refund')))
    await debit(record.userId, 'dispute#dp_1', record.id, 10_000, 'dispute')
    expect(await world.checked(record.userId)).toMatchObject({ available: 50_000, total: 50_000 })
    await debit(record.userId, 'refund#re_9', 'period', 60_000, 'refund')
    expect(await world.checked(record.userId)).toMatchObject({ available: 0, total: 0, owed: 0 })
  })

  it('has the same result when it arrives before its payment', async () => {
    const record = await topUp(10_000)
    await debit(record.userId, 'refund#re_1', record.id, 4_000, 'refund')
    expect(await world.checked(record.userId)).toMatchObject({ available: 0, owed: 4_000 })
    await credit(record)
    expect(await world.checked(record.userId)).toMatchObject({ available: 6_000, owed: 0 })
  })

  it('is rejected for another user’s payment', async () => {
    const record = await topUp(10_000)
    const stranger = debit(fresh('usr'), 'refund#re_1', record.id, 1, 'refund')
    await expect(stranger).rejects.toMatchObject({ code: 'not-found' })
  })
})

describe('a debit that the payment could not cover', () => {
  /** A payment that is fully refunded and then disputed, so nothing is left for the dispute. */
  async function disputed() {
    const record = await topUp(10_000)
    await credit(record)
    const { userId } = record
    const dispute = () => debit(userId, 'dispute#dp_1', record.id, 10_000, 'dispute')
    const undo = (key: string) => world.port.undoDebit(userId, key, 'Undone', iso(now))
    await debit(userId, 'refund#re_1', record.id, 6_000, 'refund')
    await debit(userId, 'refund#re_2', record.id, 4_000, 'refund')
    expect(await dispute()).toBeNull()
    return { userId, dispute, undo }
  }

  it('takes the rest once when the refund in its way is undone, and later returns all of it', async () => {
    const { userId, dispute, undo } = await disputed()
    await undo('refund#re_1')
    expect((await Promise.all([dispute(), dispute()])).filter(Boolean)).toMatchObject([{ amountMicros: -6_000 }])
    expect(await world.checked(userId)).toMatchObject({ available: 0, owed: 0 })
    await undo('refund#re_2')
    expect(await dispute()).toMatchObject({ type: 'dispute', amountMicros: -4_000, balanceMicros: 0 })
    expect([await dispute(), await dispute()]).toEqual([null, null])
    expect(await undo('dispute#dp_1')).toMatchObject({ amountMicros: 10_000, balanceMicros: 10_000 })
    expect([await dispute(), await undo('dispute#dp_1')]).toEqual([null, null])
    expect(await world.checked(userId)).toMatchObject({ available: 10_000, owed: 0 })
  })

  it('takes nothing after it was undone, although it had taken nothing before', async () => {
    const { userId, dispute, undo } = await disputed()
    await undo('dispute#dp_1')
    await undo('refund#re_1')
    expect(await dispute()).toBeNull()
    expect(await world.checked(userId)).toMatchObject({ available: 6_000, owed: 0 })
  })

  it('takes nothing when it is undone in the middle of its transaction', async () => {
    const { userId, dispute, undo } = await disputed()
    await undo('refund#re_1')
    // The debit reads the wallet, its own item and the payment.
    const wasMet = inject(() => undo('dispute#dp_1'), 3)
    expect([await dispute(), wasMet()]).toEqual([null, true])
    expect(await world.checked(userId)).toMatchObject({ available: 6_000, owed: 0 })
  })

  it('has the right result whatever runs at the same time', async () => {
    for (let run = 0; run < cases(40, 6); run++) {
      const { userId, dispute, undo } = await disputed()
      const ended = run % 2 === 0 ? [undo('dispute#dp_1')] : []
      await Promise.all([dispute(), undo('refund#re_1'), dispute(), ...ended, undo('refund#re_2'), dispute()])
      if (ended.length === 0) await dispute()
      const left = ended.length === 0 ? 0 : 10_000
      expect(await world.checked(userId)).toMatchObject({ available: left, owed: 0, total: left })
    }
  })
})

describe('an undone debit', () => {
  it('returns the amount that it took, once, and leaves room for another debit', async () => {
    const record = await topUp(10_000)
    await credit(record)
    await debit(record.userId, 'dispute#dp_1', record.id, 10_000, 'dispute')
    const undo = () => world.port.undoDebit(record.userId, 'dispute#dp_1', 'Dispute won', iso(now))
    const lines = await Promise.all([undo(), undo(), undo()])
    expect(lines.filter((line) => line !== null)).toMatchObject([{ type: 'dispute', amountMicros: 10_000 }])
    expect(await undo()).toBeNull()
    expect(await world.checked(record.userId)).toMatchObject({ available: 10_000, owed: 0 })
    await debit(record.userId, 'refund#re_1', record.id, 99_000, 'refund')
    expect(await world.checked(record.userId)).toMatchObject({ available: 0, total: 0, owed: 0 })
  })

  it('that has not arrived yet never takes anything', async () => {
    const record = await topUp(10_000)
    await credit(record)
    expect(await world.port.undoDebit(record.userId, 'dispute#dp_1', 'Dispute won', iso(now))).toBeNull()
    expect(await debit(record.userId, 'dispute#dp_1', record.id, 10_000, 'dispute')).toBeNull()
    expect(await world.checked(record.userId)).toMatchObject({ available: 10_000, total: 10_000 })
  })
})
