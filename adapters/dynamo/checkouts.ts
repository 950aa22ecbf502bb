import * as z from 'zod'
import type { CheckoutRecord } from '../../domain/billing/checkout.ts'
import { planIds } from '../../domain/billing/plans.ts'
import type { Checkouts } from '../../domain/billing/ports.ts'
import { notFound } from '../../domain/errors.ts'
import { idPattern } from '../../domain/ids.ts'
import { unsignedMicros } from '../../domain/money.ts'
import { timestamp } from '../../domain/time.ts'
import type { Env } from '../env.ts'
import { change, get, putNew } from './calls.ts'
import { parse } from './item.ts'

const stored = z.object({
  id: z.string(),
  userId: z.string(),
  kind: z.enum(['topup', 'subscription']),
  amountMicros: unsignedMicros,
  plan: z.enum(planIds).nullable().default(null),
  sessionId: z.string().nullable().default(null),
  createdAt: timestamp,
  state: z.enum(['pending', 'credited', 'completed']),
}) satisfies z.ZodType<CheckoutRecord>

/** Checkouts lie beside the wallet they credit, so that both change in one transaction. */
export function checkouts(env: Env): Checkouts {
  const table = () => env.table('wallets')
  return {
    async create(record) {
      await putNew(table(), 'item', { ...record, item: record.id })
    },

    async setSession(userId, id, sessionId) {
      const written = await change({
        table: table(),
        key: { userId, item: id },
        update: 'SET #sessionId = :session',
        condition: 'attribute_exists(#item)',
        values: { ':session': sessionId },
      })
      if (!written.done) throw notFound('checkout')
    },

    async find(userId, id) {
      if (!idPattern('chk').test(id)) return null
      const item = await get(table(), { userId, item: id })
      return item && parse(stored, item)
    },
  }
}
