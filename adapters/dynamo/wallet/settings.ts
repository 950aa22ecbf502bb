import { randomUUID } from 'node:crypto'
import type { Wallets } from '../../../app/ports/wallet.ts'
import { lost } from '../../../app/retry.ts'
import { wholeAmount } from '../../../domain/money.ts'
import { autoTopupRecord, lookAgainMs } from '../../../domain/wallet/auto-topup.ts'
import { dayKey, dayOf, triggers } from '../../../domain/wallet/limits.ts'
import { closedReason, newWallet } from '../../../domain/wallet/state.ts'
import { get, setting, untilWritten } from '../calls.ts'
import { itemAt } from '../expressions.ts'
import { parse } from '../item.ts'
import { autoTopupItem, capNames, dueShard, leftName, openWallet, readWallet, toState, walletAt } from './item.ts'
import { readAllSpent } from './spent.ts'
import { change } from './writes.ts'

/** Tries of new caps while others change the wallet. */
const tries = 10

const capKinds = ['day', ...triggers] as const

const { declinedAt, version } = autoTopupRecord.shape
const storedAutoTopup = autoTopupRecord.extend({ declinedAt: declinedAt.default(null), version: version.min(1) })

const autoTopupAt = (table: string, userId: string) =>
  itemAt<keyof typeof storedAutoTopup.shape | 'writtenBy'>(table, { userId, item: autoTopupItem })

type Settings = Pick<
  Wallets,
  'open' | 'read' | 'spentByTokens' | 'setCaps' | 'freeze' | 'unfreeze' | 'autoTopup' | 'saveAutoTopup'
>

export const settings = (table: string): Settings => ({
  open: (userId) => openWallet(table, userId),

  spentByTokens: (userId, nowMs) => readAllSpent(table, userId, nowMs),

  read: async (userId) => (await readWallet(table, userId)) ?? newWallet(userId),

  ...caps(table),
  ...freezing(table),
  ...autoTopups(table),
})

const caps = (table: string): Pick<Wallets, 'setCaps'> => ({
  /** The rest of today changes by the same amount as its cap. */
  async setCaps(userId, caps, nowMs, ...also) {
    for (const kind of capKinds) wholeAmount(caps[kind])
    await openWallet(table, userId)
    let seen = (await readWallet(table, userId)) ?? newWallet(userId)
    const failure = () => new Error(`limits could not be written in ${tries} tries; nothing has changed`)
    return untilWritten(tries, failure, async () => {
      const today = capKinds.map((kind) => {
        const key = dayKey(dayOf(nowMs), kind)
        return { kind, left: `#${leftName(key)}`, started: seen.left[key] !== undefined }
      })
      const moved = today.filter(({ started }) => started)
      const written = await change(
        {
          ...walletAt(table, userId),
          update: `SET ${[
            ...capKinds.map((kind) => `#${capNames[kind]} = :${kind}`),
            ...moved.map(({ kind, left }) => `${left} = ${left} + :by_${kind}`),
          ].join(', ')}`,
          condition: `(${capKinds
            .map((kind) => `attribute_not_exists(#${capNames[kind]}) OR #${capNames[kind]} = :was_${kind}`)
            .join(') AND (')})${today
            .map(({ left, started }) => ` AND ${started ? 'attribute_exists' : 'attribute_not_exists'}(${left})`)
            .join('')}`,
          values: Object.fromEntries([
            ...capKinds.map((kind) => [`:${kind}`, caps[kind]]),
            ...capKinds.map((kind) => [`:was_${kind}`, seen.caps[kind]]),
            ...moved.map(({ kind }) => [`:by_${kind}`, caps[kind] - seen.caps[kind]]),
          ]),
        },
        ...also,
      )
      if (written.done) return toState(written.item)
      seen = written.old ? toState(written.old) : newWallet(userId)
      return capKinds.every((kind) => seen.caps[kind] === caps[kind]) ? seen : lost
    })
  },
})

const freezing = (table: string): Pick<Wallets, 'freeze' | 'unfreeze'> => ({
  async freeze(userId, reason, nowMs, ...also) {
    await openWallet(table, userId)
    const { update, values } = setting({ frozen: reason, frozenAt: nowMs })
    const closing = reason === closedReason
    const written = await change(
      {
        ...walletAt(table, userId),
        update,
        // Closing the account keeps an earlier reason.
        condition: `attribute_not_exists(#frozen)${closing ? '' : ' OR #frozen = :closed'}`,
        values: { ...values, ...(!closing && { ':closed': closedReason }) },
      },
      ...also,
    )
    // A retry after a lost answer finds its own freeze.
    return written.done || (written.old?.frozenAt?.N === String(nowMs) && written.old.frozen?.S === reason)
  },

  async unfreeze(userId, nowMs, reason = null, ...also) {
    const written = await change(
      {
        ...walletAt(table, userId),
        update: 'SET #thawedAt = :now REMOVE #frozen, #frozenAt',
        condition: reason === null ? 'attribute_exists(#frozen)' : '#frozen = :reason',
        values: { ':now': nowMs, ...(reason !== null && { ':reason': reason }) },
      },
      ...also,
    )
    return written.done || written.old?.thawedAt?.N === String(nowMs)
  },
})

const autoTopups = (table: string): Pick<Wallets, 'autoTopup' | 'saveAutoTopup'> => ({
  async autoTopup(userId) {
    const item = await get(table, autoTopupAt(table, userId).key)
    return item && parse(storedAutoTopup, item)
  },

  async saveAutoTopup(userId, { version, ...record }, ...also) {
    const writtenBy = randomUUID()
    const dueAt = lookAgainMs({ ...record, version })
    const due = dueAt === null ? {} : { dueShard: dueShard(userId), dueAt }
    const { update, values } = setting({ ...record, ...due, version: version + 1, writtenBy })
    const written = await change(
      {
        ...autoTopupAt(table, userId),
        update: dueAt === null ? `${update} REMOVE #dueShard, #dueAt` : update,
        condition: version === 0 ? 'attribute_not_exists(#item)' : '#version = :seen',
        values: { ...values, ...(version > 0 && { ':seen': version }) },
      },
      ...also,
    )
    return written.done || written.old?.writtenBy?.S === writtenBy
  },
})
