import * as z from 'zod'
import { notFound } from '../../domain/errors.ts'
import { transaction } from '../../domain/wallet/ledger.ts'
import { operation } from '../kit/operation.ts'

export const getTransaction = operation({
  id: 'getTransaction',
  summary: 'Get one entry of the ledger with its receipt',
  http: { method: 'GET', path: '/wallet/transactions/{id}' },
  auth: 'user',
  scope: 'mcp:wallet.read',
  viewed: 'account',
  input: z.strictObject({ id: z.string().max(100) }),
  output: z.object({ transaction }),
  errors: ['not-found'],
  uses: { wallets: 'read' },
  run: async ({ input, actor, deps }) => {
    const transaction = await deps.wallets.transaction(actor.userId, input.id)
    if (!transaction) throw notFound('transaction')
    return { transaction }
  },
})
