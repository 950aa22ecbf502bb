import * as z from 'zod'
import { receiveWebhook } from '../../app/channels/receive.ts'
import { operation } from '../kit/operation.ts'

export const receiveSlack = operation({
  id: 'receiveSlack',
  summary: 'Receive events from Slack',
  http: { method: 'POST', path: '/webhooks/slack', rawBody: true },
  auth: 'signed',
  limit: null,
  // Platforms add their own query parameters.
  input: z.object({}),
  output: z.record(z.string(), z.unknown()),
  example: {},
  errors: ['unauthorized'],
  uses: { slack: 'read', channelLinks: 'read', rates: 'write', inboundDeliveries: 'write' },
  run: ({ request, deps, now }) => receiveWebhook(deps, deps.slack, request, now),
})
