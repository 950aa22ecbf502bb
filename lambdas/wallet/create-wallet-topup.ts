import * as z from 'zod'
import { checkout, topUpCents } from '../../domain/billing/checkout.ts'
import { openTopUp } from '../../domain/billing/top-up.ts'
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
  audit: ({ output }) => ({ record: output.id }),
  input: z.strictObject({ amountCents: topUpCents }),
  output: checkout,
  errors: ['provider-error'],
  uses: ['users', 'pages', 'checkouts'],
  run: async ({ input, actor, deps, now }) => {
    const { id, page } = await openTopUp(deps, actor.userId, input.amountCents, now)
    return { id, url: page.url, expiresAt: page.expiresAt }
  },
})
