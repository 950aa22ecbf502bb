import { randomUUID } from 'node:crypto'
import * as z from 'zod'
import { wholeAmount } from '../../domain/money.ts'
import { timestamp } from '../../domain/time.ts'
import { type AutoTopUpRecord, autoTopUp } from '../../domain/wallet/auto-topup.ts'
import { type Caps, dayKey, dayOf, triggers } from '../../domain/wallet/limits.ts'
import { newWallet, type WalletState } from '../../domain/wallet/wallet.ts'
import { backOff, get } from './calls.ts'
import { parse } from './item.ts'
import { capNames, leftName, openWallet, readWallet, toState, walletKey } from './wallet-item.ts'
import { change } from './wallet-writes.ts'

const capsTries = 10
const each = ['day', ...triggers] as const

/** See `Wallets.setCaps`: what is left of today moves as far as its cap does. */
export async function setCaps(table: string, userId: string, caps: Caps, nowMs: number): Promise<WalletState> {
  for (const of of each) wholeAmount(caps[of])
  await openWallet(table, userId)
  let seen = (await readWallet(table, userId)) ?? newWallet(userId)
  for (let tried = 1; tried <= capsTries; tried++) {
    const today = each.map((of) => {
      const left = seen.left[dayKey(dayOf(nowMs), of)]
      return { of, left: `#${leftName(dayKey(dayOf(nowMs), of))}`, started: left !== undefined }
    })
    const moved = today.filter(({ started }) => started)
    const written = await change({
      table,
      key: walletKey(userId),
      update: `SET ${[
        ...each.map((of) => `#${capNames[of]} = :${of}`),
        ...moved.map(({ of, left }) => `${left} = ${left} + :by_${of}`),
      ].join(', ')}`,
      condition: [
        ...each.map((of) => `(attribute_not_exists(#${capNames[of]}) OR #${capNames[of]} = :was_${of})`),
        ...today.map(({ left, started }) => `${started ? 'attribute_exists' : 'attribute_not_exists'}(${left})`),
      ].join(' AND '),
      values: Object.fromEntries([
        ...each.map((of) => [`:${of}`, caps[of]]),
        ...each.map((of) => [`:was_${of}`, seen.caps[of]]),
        ...moved.map(({ of }) => [`:by_${of}`, caps[of] - seen.caps[of]]),
      ]),
    })
    if (written.done) return toState(written.item)
    seen = written.old ? toState(written.old) : newWallet(userId)
    if (each.every((of) => seen.caps[of] === caps[of])) return seen
    if (tried > 1) await backOff(Math.min(tried, 3))
  }
  throw new Error(`limits could not be written in ${capsTries} tries; nothing has changed`)
}

/** See `Wallets.freeze`. */
export async function freeze(table: string, userId: string, reason: string, nowMs: number): Promise<boolean> {
  await openWallet(table, userId)
  const written = await change({
    table,
    key: walletKey(userId),
    update: 'SET #frozen = :reason, #frozenAt = :now',
    condition: 'attribute_not_exists(#frozen)',
    values: { ':reason': reason, ':now': nowMs },
  })
  // The answer of the attempt that froze it may have been lost.
  return written.done || (written.old?.frozenAt?.N === String(nowMs) && written.old.frozen?.S === reason)
}

/** See `Wallets.unfreeze`. */
export async function unfreeze(table: string, userId: string, nowMs: number): Promise<boolean> {
  const written = await change({
    table,
    key: walletKey(userId),
    update: 'SET #thawedAt = :now REMOVE #frozen, #frozenAt',
    condition: 'attribute_exists(#frozen)',
    values: { ':now': nowMs },
  })
  return written.done || written.old?.thawedAt?.N === String(nowMs)
}

const storedAutoTopUp = z.object({
  settings: autoTopUp,
  pending: z.record(z.string(), z.object({ amountMicros: z.int().min(0), at: timestamp })),
  month: z.string(),
  chargedMicros: z.int().min(0),
  declines: z.int().min(0),
  declinedAt: timestamp.nullable().default(null),
  version: z.int().min(1),
}) satisfies z.ZodType<AutoTopUpRecord>

const autoKey = (userId: string) => ({ userId, item: 'auto-topup' })

export async function readAutoTopUp(table: string, userId: string): Promise<AutoTopUpRecord | null> {
  const item = await get(table, autoKey(userId))
  return item && parse(storedAutoTopUp, item)
}

/** See `Wallets.saveAutoTopUp`. */
export async function saveAutoTopUp(table: string, userId: string, record: AutoTopUpRecord): Promise<boolean> {
  const { version, ...fields } = record
  const writtenBy = randomUUID()
  const all = { ...fields, version: version + 1, writtenBy }
  const written = await change({
    table,
    key: autoKey(userId),
    update: `SET ${Object.keys(all)
      .map((name) => `#${name} = :${name}`)
      .join(', ')}`,
    condition: version === 0 ? 'attribute_not_exists(#item)' : '#version = :seen',
    values: {
      ...Object.fromEntries(Object.entries(all).map(([name, value]) => [`:${name}`, value])),
      ...(version > 0 && { ':seen': version }),
    },
  })
  return written.done || written.old?.writtenBy?.S === writtenBy
}
