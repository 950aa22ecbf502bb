import * as z from 'zod'
import { cursor, fromCursor, pageLimit, toCursor } from '../../domain/page.ts'
import { transaction, transactionTypes } from '../../domain/wallet/ledger.ts'
import { operation } from '../kit/operation.ts'

export const listTransactions = operation({
  id: 'listTransactions',
  summary: 'List the wallet’s ledger, newest first',
  http: { method: 'GET', path: '/wallet/transactions' },
  tool: {
    name: 'wallet.transactions',
    title: 'Wallet transactions',
    description:
      'Lists the wallet’s ledger, newest first: top-ups, credits, refunds and each model call with its receipt. Use ' +
      'it to explain where money went. Returns a page of transactions and nextCursor; pass nextCursor as cursor for ' +
      'the next page, until it is null.',
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  },
  auth: 'user',
  scope: 'mcp:wallet.read',
  viewed: 'account',
  input: z.strictObject({
    cursor,
    limit: pageLimit,
    type: z.enum(transactionTypes).optional().meta({ description: 'Only entries of this type.' }),
  }),
  output: z.object({ transactions: z.array(transaction), nextCursor: z.string().nullable() }),
  uses: { wallets: 'read' },
  run: async ({ input, actor, deps }) => {
    const after = fromCursor(input.cursor, 'txn')
    const page = await deps.wallets.transactions(actor.userId, { after, limit: input.limit, type: input.type })
    return { transactions: page.items, nextCursor: toCursor(page.next) }
  },
})
