import * as z from 'zod'
import type { Wallets } from '../../../app/ports/wallet.ts'
import { unsignedMicros } from '../../../domain/money.ts'
import { query } from '../calls.ts'
import { parse, toItem } from '../item.ts'
import { onceItem } from './item.ts'

const credited = z.object({
  item: z.string(),
  amountMicros: unsignedMicros,
  debited: unsignedMicros.default(0),
  state: z.string().default('credited'),
  type: z.string().optional(),
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
        const { item, amountMicros, debited, state, type } = parse(credited, found)
        const taken = prefix !== 'chk_' && (type !== undefined || item.endsWith('#undone'))
        if (taken || amountMicros === 0 || state !== 'credited') continue
        yield { name: item.replace(onceItem(''), ''), amountMicros, takenBackMicros: debited }
      }
    }
  },
})
