import * as z from 'zod'
import type { Checkouts } from '../../../app/ports/billing.ts'
import type { Part } from '../../../app/ports/part.ts'
import { type CheckoutRecord, checkoutRecord } from '../../../domain/billing/checkout.ts'
import { notFound } from '../../../domain/errors.ts'
import { idPattern } from '../../../domain/ids.ts'
import { unsignedMicros, wholeAmount } from '../../../domain/money.ts'
import type { Env } from '../../env.ts'
import { get } from '../calls.ts'
import { itemAt } from '../expressions.ts'
import { parse } from '../item.ts'
import { countedItem, refusedItem } from '../wallet/item.ts'
import { change, changed, putNew } from '../wallet/writes.ts'

const stored = checkoutRecord.extend({
  plan: checkoutRecord.shape.plan.default(null),
  sessionId: checkoutRecord.shape.sessionId.default(null),
})

/** A day's counted top-ups, µUSD: the total, and the amount per checkout, so that each is counted once. */
const countedDay = z.object({ counted: unsignedMicros, byCheckout: z.record(z.string(), unsignedMicros) })

/** Checkouts are stored next to the wallet they credit, so that both change in one transaction. */
export function checkouts(env: Env): Checkouts {
  const table = env.table('wallets')
  const at = (userId: string, id: string) => itemAt<keyof CheckoutRecord>(table, { userId, item: id })

  const move = (
    userId: string,
    id: string,
    from: CheckoutRecord['state'],
    to: CheckoutRecord['state'],
    ...also: Part[]
  ) =>
    changed(
      {
        ...at(userId, id),
        update: 'SET #state = :to',
        condition: '#state = :from',
        values: { ':from': from, ':to': to },
      },
      ...also,
    )

  return {
    async create(record, ...also) {
      wholeAmount(record.amountMicros)
      return (await putNew(table, { ...record, item: record.id }, ...also)).done
    },

    async setSession(userId, id, sessionId) {
      const there = await changed({
        ...at(userId, id),
        update: 'SET #sessionId = :session',
        condition: 'attribute_exists(#item)',
        values: { ':session': sessionId },
      })
      if (!there) throw notFound('checkout')
    },

    async find(userId, id) {
      if (!idPattern('chk').test(id)) return null
      const item = await get(table, { userId, item: id })
      return item && parse(stored, item)
    },

    end: (userId, id, as, ...also) => move(userId, id, 'pending', as, ...also),

    noteRefused: async (userId, subscriptionId, ...also) =>
      (await putNew(table, { userId, item: refusedItem(subscriptionId) }, ...also)).done,

    async reopen(userId, id) {
      await move(userId, id, 'failed', 'pending')
    },

    async countedOn(userId, day) {
      const item = await get(table, { userId, item: countedItem(day) })
      return item ? parse(countedDay, item).counted : 0
    },

    async count(userId, day, { checkoutId, amountMicros, limitMicros }) {
      for (const amount of [amountMicros, limitMicros]) wholeAmount(amount)
      const key = { userId, item: countedItem(day) }
      await putNew(table, { ...key, counted: 0, byCheckout: {} })
      const written = await change({
        ...itemAt<keyof typeof countedDay.shape>(table, key),
        update: 'SET #byCheckout.#checkout = :amount, #counted = #counted + :amount',
        condition: 'attribute_not_exists(#byCheckout.#checkout) AND #counted <= :room',
        values: { ':amount': amountMicros, ':room': limitMicros - amountMicros },
        names: { '#checkout': checkoutId },
      })
      if (written.done) return true
      return written.old !== null && checkoutId in parse(countedDay, written.old).byCheckout
    },
  }
}
