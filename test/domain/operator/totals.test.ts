import { firstIdAt } from '../../../domain/ids.ts'
import { addSums, firstWordBounds, noSums, showSums, sumsOfWallet, withinMs } from '../../../domain/operator/totals.ts'
import { dayMs, iso, minuteMs, secondMs } from '../../../domain/time.ts'
import type { Transaction, UsageReceipt } from '../../../domain/wallet/ledger.ts'
import { receipt } from '../../adapters/dynamo/wallet-world.ts'

const nowMs = Date.parse('2026-11-26T12:00:00.000Z')
const inWeek = nowMs - dayMs

const line = (change: Partial<Transaction>): Transaction => ({
  id: 'txn_1',
  type: 'topup',
  amountMicros: 0,
  balanceMicros: 0,
  at: iso(inWeek),
  description: '',
  ...change,
})

const call = (change: Partial<UsageReceipt>, at = inWeek): Transaction =>
  line({
    type: 'usage',
    at: iso(at),
    receipt: { ...receipt('call_1', 1_050), settledMicros: 1_050, markup: 500, ...change },
  })

const sum = (...lines: Transaction[]) => {
  const wallet = sumsOfWallet(noSums(nowMs))
  for (const each of lines) wallet.add(each)
  return wallet.sums
}

describe('the totals of the ledgers', () => {
  test('count money in with the plans’ prices, less what was taken back, and gifts apart', () => {
    const shown = showSums(
      sum(
        line({ type: 'topup', amountMicros: 5_000_000 }),
        line({ type: 'subscription_credit', amountMicros: 2_000_000 }),
        line({ type: 'subscription_credit', amountMicros: 77 }),
        line({ type: 'refund', amountMicros: -1_000_000 }),
        line({ type: 'dispute', amountMicros: -500_000 }),
        line({ type: 'dispute', amountMicros: 500_000 }),
        line({ type: 'trial_credit', amountMicros: 250_000 }),
        line({ type: 'adjustment', amountMicros: -50_000 }),
      ),
    )
    expect(shown).toMatchObject({
      toppedUpMicros: 5_000_000,
      planMicros: 12_000_077,
      takenBackMicros: 1_000_000,
      givenMicros: 200_000,
      moneyInMicros: 16_000_077,
    })
  })

  test('count the markup as margin, and failed calls apart', () => {
    const shown = showSums(
      sum(
        call({ settledBecause: 'usage' }),
        call({ settledBecause: 'usage', markup: 0 }),
        call({ settledBecause: 'upstream-error', settledMicros: 0 }),
        call({ settledBecause: 'expired', settledMicros: 0 }),
      ),
    )
    expect(shown).toMatchObject({ chargedMicros: 2_100, marginMicros: 50, calls: 2, failedCalls: 2 })
  })

  test('ignore lines before the week and after its end', () => {
    const at = [nowMs - 7 * dayMs - 1, nowMs].map(iso)
    expect(sum(...at.map((moment) => line({ amountMicros: 1, at: moment })))).toEqual(noSums(nowMs))
  })

  test('measure from a message to the first byte of its first call, in chats only', () => {
    const sentMs = inWeek
    const prompt = (i: number) => firstIdAt('prm', sentMs).replace(/0$/, String(i))
    const after = (ms: number, i: number, more: Partial<UsageReceipt> = {}) =>
      call({
        trigger: 'chat',
        promptId: prompt(i),
        startedAt: iso(sentMs + ms),
        firstByteMs: 100,
        settledBecause: 'usage',
        ...more,
      })
    const shown = showSums(
      sum(
        after(300, 1),
        after(30 * secondMs, 1),
        after(1_700, 2),
        after(8_000, 3),
        after(5 * minuteMs, 4),
        after(0, 5, { trigger: 'schedule' }),
        after(0, 6, { firstByteMs: null }),
      ),
    )
    expect(shown.firstWord).toEqual({ messages: 4, halfWithinMs: 2_000, mostWithinMs: null })
  })

  test('of two wallets are added', () => {
    const one = sum(line({ amountMicros: 3 }), call({ settledBecause: 'usage' }))
    expect(addSums(one, one)).toMatchObject({ toppedUpMicros: 6, calls: 2, chargedMicros: 2_100 })
  })

  test('have no time without messages, and the largest bound for the slowest counted one', () => {
    expect(withinMs(noSums(nowMs).firstWords, 0.5)).toBe(null)
    const slow = noSums(nowMs).firstWords.with(firstWordBounds.length - 1, 1)
    expect([withinMs(slow, 0.5), withinMs(slow, 1)]).toEqual([60_000, 60_000])
  })
})
