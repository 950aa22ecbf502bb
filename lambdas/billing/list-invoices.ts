import * as z from 'zod'
import { invoice, invoiceId } from '../../domain/billing/invoice.ts'
import { cursor, fromCursor, pageLimit, toCursor } from '../../domain/page.ts'
import { operation } from '../kit/operation.ts'

export const listInvoices = operation({
  id: 'listInvoices',
  summary: 'List the invoices of subscriptions and automatic top-ups, newest first',
  http: { method: 'GET', path: '/billing/invoices' },
  auth: 'session',
  input: z.strictObject({ cursor, limit: pageLimit }),
  output: z.object({ invoices: z.array(invoice), nextCursor: z.string().nullable() }),
  errors: ['provider-error'],
  uses: { users: 'write', payments: 'write' },
  run: async ({ input, actor, deps }) => {
    const after = fromCursor(input.cursor, invoiceId)
    const user = await deps.users.find(actor.userId)
    if (!user?.customerId) return { invoices: [], nextCursor: null }
    const page = await deps.payments.invoices(user.customerId, { after, limit: input.limit })
    return { invoices: page.items, nextCursor: toCursor(page.next) }
  },
})
