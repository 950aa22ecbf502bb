import { receiveWebhook } from '../../app/channels/receive.ts'
import { operation } from '../kit/operation.ts'
import { platformWebhook, webhookUses } from './platform-webhook.ts'

export const receiveSlack = operation({
  ...platformWebhook,
  id: 'receiveSlack',
  summary: 'Receive events from Slack',
  http: { method: 'POST', path: '/webhooks/slack', rawBody: true },
  uses: { slack: 'read', ...webhookUses },
  run: ({ request, deps, now }) => receiveWebhook(deps, deps.slack, request, now),
})
