import * as z from 'zod'
import { applyPaymentEvent } from '../../app/billing/apply-event.ts'
import { operation } from '../kit/operation.ts'

export const stripeWebhook = operation({
  id: 'stripeWebhook',
  summary: 'Receive signed events from the billing provider',
  http: { method: 'POST', path: '/webhooks/stripe', rawBody: true },
  auth: 'signed',
  limit: 'webhook',
  output: z.object({ received: z.literal(true) }),
  errors: ['conflict', 'provider-error'],
  uses: {
    payments: 'write',
    users: 'write',
    wallets: 'write',
    checkouts: 'write',
    conversations: 'read',
    gracePeriods: 'write',
    instances: 'write',
    bus: 'write',
    events: 'write',
    mail: 'write',
    outbox: 'write',
    suspensions: 'write',
  },
  run: async ({ request, deps, now }) => {
    const event = await deps.payments.readEvent(request.rawBody, request.headers['stripe-signature'], now)
    await applyPaymentEvent(deps, event, now)
    return { received: true as const }
  },
})
