import * as z from 'zod'
import { openTopUp } from '../../app/billing/checkout.ts'
import { checkout } from '../../domain/billing/checkout.ts'
import { topUpCents } from '../../domain/billing/top-up.ts'
import { operation } from '../kit/operation.ts'

export const createWalletTopup = operation({
  id: 'createWalletTopup',
  summary: 'Create a checkout page to top up the wallet',
  description: 'A suspended wallet gets no page, because a top-up would not help.',
  http: { method: 'POST', path: '/wallet/topup' },
  creates: true,
  tool: {
    name: 'wallet.checkoutTopUp',
    title: 'Top up the wallet',
    description:
      'Creates a hosted checkout page for adding money to the wallet. Use it when the balance is low; nothing is ' +
      'charged until a person opens the page and pays. Returns the page’s url to show to the user.',
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  },
  auth: 'user',
  scope: 'mcp:wallet.write',
  commits: true,
  input: z.strictObject({ amountCents: topUpCents }),
  output: checkout,
  errors: ['provider-error', 'wallet-suspended'],
  uses: { users: 'write', payments: 'write', checkouts: 'write', wallets: 'read' },
  run: ({ input, actor, deps, now, outboxFor }) => openTopUp(deps, actor.userId, input.amountCents, now, outboxFor),
})
