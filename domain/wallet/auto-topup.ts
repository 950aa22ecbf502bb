import * as z from 'zod'
import { topUpCents } from '../billing/top-up.ts'
import { centsToMicros, unsignedMicros, wholeAmount } from '../money.ts'
import { hourMs, iso, minuteMs } from '../time.ts'
import { timestamp } from '../timestamp.ts'
import { heldOf, type WalletState } from './state.ts'

/** A user's settings: a balance below the threshold charges the saved card, up to the cap of a calendar month (UTC). */
export const autoTopup = z
  .strictObject({
    enabled: z.boolean().default(true),
    thresholdCents: z.int().min(100).max(50_000).meta({ description: 'US cents the balance may fall to.' }),
    amountCents: topUpCents,
    monthlyCapCents: z.int().min(500).max(500_000).meta({ description: 'The maximum charge in a month, in US cents.' }),
  })
  .meta({ id: 'AutoTopup' })
export type AutoTopup = z.infer<typeof autoTopup>

export const autoTopupRecord = z.object({
  settings: autoTopup,
  /** Charges under way, by the idempotency key of their credit. */
  pending: z.record(z.string(), z.object({ amountMicros: unsignedMicros, at: timestamp })),
  /** Calendar month (`2026-11`) that `chargedMicros` counts. */
  month: z.string(),
  chargedMicros: unsignedMicros,
  declines: z.int().min(0),
  declinedAt: timestamp.nullable(),
  /** Raised by every write; a write is conditional on the version it read. 0 before the first. */
  version: z.int().min(0),
})
export type AutoTopupRecord = z.infer<typeof autoTopupRecord>

export const newAutoTopup = (settings: AutoTopup): AutoTopupRecord => ({
  settings,
  pending: {},
  month: '',
  chargedMicros: 0,
  declines: 0,
  declinedAt: null,
  version: 0,
})

/** New settings clear earlier declines, because the user may have replaced the card. */
export const replaceSettings = (record: AutoTopupRecord | null, settings: AutoTopup): AutoTopupRecord => ({
  ...(record ?? newAutoTopup(settings)),
  settings,
  declines: 0,
  declinedAt: null,
})

export function chargesMore(from: AutoTopup | null, to: AutoTopup): boolean {
  if (!to.enabled) return false
  if (!from?.enabled) return true
  return (
    to.thresholdCents > from.thresholdCents ||
    to.amountCents > from.amountCents ||
    to.monthlyCapCents > from.monthlyCapCents
  )
}

export type AutoTopupDecision =
  | { charge: true; amountMicros: number }
  | { charge: false; because: 'off' | 'suspended' | 'enough' | 'pending' | 'capped' | 'declined' }

/** After this many declines in a row nothing is charged until the user saves the settings again. */
export const maxDeclines = 5

/** Waiting time after the first, second… decline, ms. */
const waitMs = (declines: number): number => hourMs * Math.min(24, 4 ** (declines - 1))

/** Earliest time of the next try after a decline, ms since 1970; null when only new settings allow one. */
export function nextTryMs({ declines, declinedAt }: AutoTopupRecord): number | null {
  if (declines >= maxDeclines) return null
  return declines === 0 || declinedAt === null ? 0 : Date.parse(declinedAt) + waitMs(declines)
}

/** Age after which another run continues a charge, ms. */
export const chargeTimeoutMs = 15 * minuteMs

/** Time of the next check of an unused wallet, ms since 1970: for an unfinished charge or declined card; else null. */
export function lookAgainMs(record: AutoTopupRecord): number | null {
  const begun = Object.values(record.pending).map(({ at }) => Date.parse(at))
  if (begun.length > 0) return Math.max(...begun) + chargeTimeoutMs
  return record.settings.enabled && record.declines > 0 ? nextTryMs(record) : null
}

export const shownAutoTopup = autoTopup
  .extend({
    declined: z
      .object({
        times: z.int().min(1).meta({ description: 'The number of declines since the last successful charge.' }),
        nextTryAt: timestamp.nullable().meta({
          description: 'Null after the fifth decline: then nothing is charged until the settings are saved again.',
        }),
      })
      .optional(),
  })
  .meta({ id: 'WalletAutoTopup' })
export type ShownAutoTopup = z.infer<typeof shownAutoTopup>

export function showAutoTopup(record: AutoTopupRecord): ShownAutoTopup {
  const { settings, declines } = record
  if (declines === 0) return settings
  const next = nextTryMs(record)
  return { ...settings, declined: { times: declines, nextTryAt: next === null ? null : iso(next) } }
}

const monthOf = (nowMs: number): string => iso(nowMs).slice(0, 7)

/** µUSD that may still be charged in the current month. */
export function topUpLeftMicros({ settings, month, chargedMicros }: AutoTopupRecord, nowMs: number): number {
  const charged = month === monthOf(nowMs) ? chargedMicros : 0
  return Math.max(0, centsToMicros(settings.monthlyCapCents) - charged)
}

/** Held money and charges under way count as balance: most held money returns. At most one charge is under way. */
export function decideAutoTopup(record: AutoTopupRecord | null, state: WalletState, nowMs: number): AutoTopupDecision {
  if (!record?.settings.enabled) return { charge: false, because: 'off' }
  if (state.frozen !== null) return { charge: false, because: 'suspended' }
  const { settings, pending } = record
  const coming = Object.values(pending).reduce((sum, { amountMicros }) => sum + amountMicros, 0)
  if (state.available + heldOf(state) + coming > centsToMicros(settings.thresholdCents))
    return { charge: false, because: 'enough' }
  if (coming > 0) return { charge: false, because: 'pending' }
  if (nowMs < (nextTryMs(record) ?? Number.POSITIVE_INFINITY)) return { charge: false, because: 'declined' }
  const amountMicros = centsToMicros(settings.amountCents)
  if (amountMicros > topUpLeftMicros(record, nowMs)) return { charge: false, because: 'capped' }
  return { charge: true, amountMicros }
}

/** Notes a charge before it is made: a crash leaves it pending, never charged twice. */
export function startCharge(record: AutoTopupRecord, key: string, amountMicros: number, nowMs: number) {
  const month = monthOf(nowMs)
  const before = record.month === month ? record.chargedMicros : 0
  const pending = {
    ...record.pending,
    [key]: { amountMicros: wholeAmount(amountMicros), at: iso(nowMs) },
  }
  return { ...record, month, chargedMicros: before + amountMicros, pending } satisfies AutoTopupRecord
}

/** A failed charge no longer counts in its month. Ending a charge twice changes nothing. */
export function endCharge(record: AutoTopupRecord, key: string, paid: boolean, nowMs: number): AutoTopupRecord {
  const { [key]: ended, ...pending } = record.pending
  if (!ended) return record
  if (paid) return { ...record, pending, declines: 0, declinedAt: null }
  const sameMonth = record.month === monthOf(Date.parse(ended.at))
  return {
    ...record,
    pending,
    chargedMicros: record.chargedMicros - (sameMonth ? ended.amountMicros : 0),
    declines: record.declines + 1,
    declinedAt: iso(nowMs),
  }
}
