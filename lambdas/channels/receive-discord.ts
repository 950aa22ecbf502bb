import { receiveWebhook } from '../../app/channels/receive.ts'
import { operation } from '../kit/operation.ts'
import { platformWebhook, webhookUses } from './platform-webhook.ts'

export const receiveDiscord = operation({
  ...platformWebhook,
  id: 'receiveDiscord',
  summary: 'Receive interactions and messages from Discord',
  http: { method: 'POST', path: '/webhooks/discord', rawBody: true },
  uses: { discord: 'read', ...webhookUses },
  run: ({ request, deps, now }) => receiveWebhook(deps, deps.discord, request, now),
})
