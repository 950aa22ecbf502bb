import * as z from 'zod'
import { receiveDelivery as receive } from '../../app/hooks/receive-delivery.ts'
import { operation } from '../kit/operation.ts'

export const receiveDelivery = operation({
  id: 'receiveDelivery',
  summary: 'Prompt the agent with the secret of a hook',
  description:
    'Send the secret as `Authorization: Bearer whsec_…`, with an `Idempotency-Key` if you may send the request ' +
    'twice. Or sign the body with the secret as GitHub (`X-Hub-Signature-256`) or Standard Webhooks (`webhook-id`, ' +
    '`webhook-timestamp`, `webhook-signature`) do. The body is any text of at most 64 KB. A repeated delivery gets ' +
    'the same answer, and the agent is prompted only once.',
  http: { method: 'POST', path: '/hooks/in/{id}', status: 202, rawBody: true },
  auth: 'signed',
  limit: 'hook',
  admission: 'secret',
  // Senders add their own query parameters.
  input: z.object({ id: z.string().meta({ description: 'Id of the hook.' }) }),
  output: z.object({ received: z.literal(true) }),
  errors: ['unauthorized', 'conflict'],
  uses: {
    hooks: 'write',
    hookSecrets: 'read',
    rates: 'write',
    users: 'read',
    instances: 'write',
    wallets: 'read',
    conversations: 'write',
    events: 'write',
    bus: 'write',
    outbox: 'write',
  },
  run: async ({ input, request: { headers, rawBody }, deps, now, admit, setRateWindow }) => {
    const told = { stranger: admit, counted: setRateWindow }
    await receive(deps, { id: input.id, headers, body: rawBody }, now, told)
    return { received: true as const }
  },
})
