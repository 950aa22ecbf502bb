import {
  type AutoTopupRecord,
  chargesMore,
  decideAutoTopup,
  endCharge,
  maxDeclines,
  newAutoTopup,
  nextTryMs,
  replaceSettings,
  showAutoTopup,
  startCharge,
} from '../../../domain/wallet/auto-topup.ts'
import { newWallet, type WalletState } from '../../../domain/wallet/state.ts'

const now = Date.parse('2026-11-30T23:59:59.999Z')
const hour = 3_600_000
const settings = { enabled: true, thresholdCents: 500, amountCents: 1_000, monthlyCapCents: 2_500 }
const wallet = (available: number, held = 0): WalletState => ({
  ...newWallet('usr_x'),
  available,
  holds: held > 0 ? { call_1: { micros: held, expiresMs: now, trigger: 'chat' as const } } : {},
})
const low = wallet(1_000_000)
const record = (change: Partial<AutoTopupRecord> = {}): AutoTopupRecord => ({ ...newAutoTopup(settings), ...change })
const because = (kept: AutoTopupRecord | null, state = low, at = now) => {
  const decided = decideAutoTopup(kept, state, at)
  return decided.charge ? decided.amountMicros : decided.because
}

describe('an automatic top-up', () => {
  test('charges at or below the threshold, and counts held money as available', () => {
    expect(because(record(), wallet(5_000_000))).toBe(10_000_000)
    expect(because(record(), wallet(5_000_001))).toBe('enough')
    expect(because(record(), wallet(1, 5_000_000))).toBe('enough')
    expect(because(record(), wallet(0, 5_000_000))).toBe(10_000_000)
  })

  test('is off without settings, when switched off, and while the wallet is suspended', () => {
    expect([because(null), because(record({ settings: { ...settings, enabled: false } }))]).toEqual(['off', 'off'])
    expect(because(record(), { ...low, frozen: 'fraud warning' })).toBe('suspended')
  })

  test('makes one charge at a time: a pending charge counts as balance, and a second waits even when the first is too small', () => {
    const started = startCharge(record(), 'chk_1', 10_000_000, now)
    expect(because(started)).toBe('enough')
    const small = { ...settings, thresholdCents: 5_000 }
    expect(because({ ...started, settings: small })).toBe('pending')
    expect(because(endCharge(started, 'chk_1', true, now))).toBe(10_000_000)
  })

  test('stays within the month’s cap, to the cent, by UTC months', () => {
    const twice = record({ month: '2026-11', chargedMicros: 15_000_000 })
    expect(because(twice)).toBe(10_000_000)
    expect(because({ ...twice, chargedMicros: 15_000_001 })).toBe('capped')
    expect(because({ ...twice, chargedMicros: 25_000_000 })).toBe('capped')
    expect(because({ ...twice, chargedMicros: 25_000_000 }, low, now + 1)).toBe(10_000_000)
    const next = startCharge({ ...twice, chargedMicros: 25_000_000 }, 'chk_1', 10_000_000, now + 1)
    expect(next).toMatchObject({ month: '2026-12', chargedMicros: 10_000_000 })
  })

  test('returns an unpaid amount to the month’s cap, and only to the month that counted it', () => {
    const started = startCharge(record(), 'chk_1', 10_000_000, now)
    expect(endCharge(started, 'chk_1', false, now + hour)).toMatchObject({ month: '2026-11', chargedMicros: 0 })
    const both = startCharge(started, 'chk_2', 10_000_000, now + 1)
    expect(both).toMatchObject({ month: '2026-12', chargedMicros: 10_000_000 })
    expect(endCharge(both, 'chk_1', false, now + 2)).toMatchObject({ month: '2026-12', chargedMicros: 10_000_000 })
    expect(endCharge(both, 'chk_2', false, now + 2)).toMatchObject({ month: '2026-12', chargedMicros: 0 })
  })

  test('changes nothing when its end is reported twice', () => {
    const ended = endCharge(startCharge(record(), 'chk_1', 10_000_000, now), 'chk_1', false, now)
    expect(endCharge(ended, 'chk_1', false, now + hour)).toBe(ended)
    expect(ended.declines).toBe(1)
  })

  test('waits longer after each decline, and stops after the fifth until the settings are saved', () => {
    let kept = record()
    const waits: (number | null)[] = []
    for (let n = 1; n <= maxDeclines; n++) {
      kept = endCharge(startCharge(kept, `chk_${n}`, 10_000_000, now), `chk_${n}`, false, now)
      const next = nextTryMs(kept)
      waits.push(next === null ? null : (next - now) / hour)
      if (next !== null)
        expect([because(kept, low, next - 1), because(kept, low, next)]).toEqual(['declined', 10_000_000])
    }
    expect(waits).toEqual([1, 4, 16, 24, null])
    expect(because(kept, low, now + 10_000 * hour)).toBe('declined')
    expect(because(replaceSettings(kept, settings))).toBe(10_000_000)
    const paid = endCharge(startCharge(kept, 'chk_9', 10_000_000, now), 'chk_9', true, now)
    expect(paid).toMatchObject({ declines: 0, declinedAt: null })
  })
})

describe('the automatic top-up that its owner sees', () => {
  test('has only the settings until a card is declined, then also the number of declines and the next try', () => {
    expect(showAutoTopup(record())).toEqual(settings)
    const declinedAt = '2026-11-30T10:00:00.000Z'
    expect(showAutoTopup(record({ declines: 2, declinedAt }))).toEqual({
      ...settings,
      declined: { times: 2, nextTryAt: '2026-11-30T14:00:00.000Z' },
    })
    expect(showAutoTopup(record({ declines: 5, declinedAt })).declined).toEqual({ times: 5, nextTryAt: null })
  })
})

describe('a change of settings that charges more or sooner', () => {
  test.each([
    [null, settings, true],
    [{ ...settings, enabled: false }, settings, true],
    [settings, settings, false],
    [settings, { ...settings, thresholdCents: 501 }, true],
    [settings, { ...settings, amountCents: 1_001 }, true],
    [settings, { ...settings, monthlyCapCents: 2_501 }, true],
    [settings, { ...settings, thresholdCents: 499, amountCents: 500, monthlyCapCents: 500 }, false],
    [settings, { ...settings, enabled: false, amountCents: 50_000 }, false],
  ])('from %j to %j: %s', (from, to, more) => {
    expect(chargesMore(from, to)).toBe(more)
  })
})
