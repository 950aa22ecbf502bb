import * as z from 'zod'
import type { Wallets } from '../../../app/ports/wallet.ts'
import { checkoutRecord } from '../../../domain/billing/checkout.ts'
import { unsignedMicros } from '../../../domain/money.ts'
import { kindOfKey } from '../../../domain/operator/overview.ts'
import { timestamp } from '../../../domain/timestamp.ts'
import { query } from '../calls.ts'
import { parse, toItem } from '../item.ts'
import { onceItem } from './item.ts'

const credited = z.object({
  item: z.string(),
  amountMicros: unsignedMicros,
  debited: unsignedMicros.default(0),
  state: z.string().default('credited'),
  type: z.string().optional(),
  kind: checkoutRecord.shape.kind.exclude(['subscription']).optional().catch(undefined),
  at: timestamp.nullable().default(null),
  createdAt: timestamp.nullable().default(null),
})

/** Includes debits and credits without a payment, each with its type. An undo has its own name. */
export const payments = (table: string): Pick<Wallets, 'payments'> => ({
  async *payments(userId) {
    for (const prefix of [onceItem(''), 'chk_']) {
      const asked = {
        TableName: table,
        KeyConditionExpression: 'userId = :user AND begins_with(#item, :prefix)',
        ExpressionAttributeNames: { '#item': 'item' },
        ExpressionAttributeValues: toItem({ ':user': userId, ':prefix': prefix }),
      }
      for await (const found of query(asked)) {
        const { item, amountMicros, debited, state, type, kind, at, createdAt } = parse(credited, found)
        const taken = prefix !== 'chk_' && (type !== undefined || item.endsWith('#undone'))
        if (taken || amountMicros === 0 || state !== 'credited') continue
        const name = item.replace(onceItem(''), '')
        yield { name, kind: kind ?? kindOfKey(name), at: at ?? createdAt, amountMicros, takenBackMicros: debited }
      }
    }
  },
})
