import * as z from 'zod'
import { applyPaymentEvent } from '../../domain/billing/apply-event.ts'
import { operation } from '../kit/operation.ts'

export const stripeWebhook = operation({
  id: 'stripeWebhook',
  summary: 'Events of the billing provider, signed by it',
  http: { method: 'POST', path: '/webhooks/stripe', rawBody: true },
  auth: 'signed',
  limit: 'webhook',
  input: z.strictObject({}),
  output: z.object({ received: z.literal(true) }),
  errors: ['conflict', 'provider-error'],
  uses: ['payments', 'users', 'wallets', 'checkouts', 'graces', 'instances', 'bus', 'events', 'mail'],
  run: async ({ request, deps, now }) => {
    const event = await deps.payments.readEvent(request.rawBody, request.headers['stripe-signature'], now)
    await applyPaymentEvent(deps, event, now)
    return { received: true as const }
  },
})
