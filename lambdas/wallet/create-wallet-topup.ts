import * as z from 'zod'
import { checkout, topUpCents } from '../../domain/billing/checkout.ts'
import { unauthorized } from '../../domain/errors.ts'
import { centsToMicros } from '../../domain/money.ts'
import { iso } from '../../domain/time.ts'
import { operation } from '../kit/operation.ts'

export const createWalletTopup = operation({
  id: 'createWalletTopup',
  summary: 'Make a hosted page on which to top up the wallet',
  http: { method: 'POST', path: '/wallet/topup' },
  tool: {
    name: 'wallet.checkoutTopUp',
    title: 'Top up the wallet',
    description:
      'Makes a hosted checkout page for adding money to the wallet. Use it when the balance is low; nothing is charged until a ' +
      'person opens the page and pays. Returns the page’s url to show to the user.',
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  },
  auth: 'user',
  scope: 'mcp:wallet.write',
  limit: 'write',
  input: z.strictObject({ amountCents: topUpCents }),
  output: checkout,
  errors: ['provider-error'],
  uses: ['users', 'payments', 'checkouts'],
  run: async ({ input, actor, deps, now }) => {
    const user = await deps.users.find(actor.userId)
    if (!user) throw unauthorized()
    const customerId = await deps.payments.customer(user)
    if (!user.customerId) await deps.users.setCustomer(user.id, customerId)
    const record = { id: deps.ids.next('chk'), userId: user.id, kind: 'topup' as const, plan: null, sessionId: null }
    const amountMicros = centsToMicros(input.amountCents)
    await deps.checkouts.create({ ...record, amountMicros, createdAt: iso(now), state: 'pending' })
    const { userId, id: checkoutId } = record
    const page = await deps.payments.topUpPage({ userId, customerId, checkoutId, amountCents: input.amountCents })
    await deps.checkouts.setSession(userId, checkoutId, page.sessionId)
    return { id: checkoutId, url: page.url, expiresAt: page.expiresAt }
  },
})
