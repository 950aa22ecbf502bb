import * as z from 'zod'
import { receiveWebhook } from '../../app/channels/receive.ts'
import { operation } from '../kit/operation.ts'

export const receiveDiscord = operation({
  id: 'receiveDiscord',
  summary: 'Receive interactions and messages from Discord',
  http: { method: 'POST', path: '/webhooks/discord', rawBody: true },
  auth: 'signed',
  limit: null,
  // Platforms add their own query parameters.
  input: z.object({}),
  output: z.record(z.string(), z.unknown()),
  example: {},
  errors: ['unauthorized'],
  uses: { discord: 'read', channelLinks: 'read', rates: 'write', inboundDeliveries: 'write' },
  run: ({ request, deps, now }) => receiveWebhook(deps, deps.discord, request, now),
})
