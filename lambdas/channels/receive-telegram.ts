import * as z from 'zod'
import { receiveWebhook } from '../../app/channels/receive.ts'
import { operation } from '../kit/operation.ts'

export const receiveTelegram = operation({
  id: 'receiveTelegram',
  summary: 'Receive updates from Telegram',
  http: { method: 'POST', path: '/webhooks/telegram', rawBody: true },
  auth: 'signed',
  limit: null,
  // Platforms add their own query parameters.
  input: z.object({}),
  output: z.record(z.string(), z.unknown()),
  example: {},
  errors: ['unauthorized'],
  uses: { telegram: 'read', channelLinks: 'read', rates: 'write', inboundDeliveries: 'write' },
  run: ({ request, deps, now }) => receiveWebhook(deps, deps.telegram, request, now),
})
