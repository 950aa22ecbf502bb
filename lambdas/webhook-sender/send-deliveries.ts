import * as z from 'zod'
import { sendDeliveries as send } from '../../app/webhooks/send.ts'
import { job } from '../kit/job.ts'

const due = z.object({ endpointId: z.string(), id: z.string(), dueMs: z.int() })

export const sendDeliveries = job({
  id: 'sendDeliveries',
  on: { bus: 'berth', source: 'berth', detailType: 'webhooks.due' },
  input: z.object({ userId: z.string(), due: z.array(due) }),
  uses: {
    webhooks: 'write',
    webhookSender: 'write',
    hookSecrets: 'read',
    outbox: 'write',
    pushDevices: 'write',
    pushMessages: 'read',
  },
  run: ({ input, deps }) => send(deps, input.userId, input.due),
})
