import { receiveWebhook } from '../../app/channels/receive.ts'
import { operation } from '../kit/operation.ts'
import { platformWebhook, webhookUses } from './platform-webhook.ts'

export const receiveTelegram = operation({
  ...platformWebhook,
  id: 'receiveTelegram',
  summary: 'Receive updates from Telegram',
  http: { method: 'POST', path: '/webhooks/telegram', rawBody: true },
  uses: { telegram: 'read', ...webhookUses },
  run: ({ request, deps, now }) => receiveWebhook(deps, deps.telegram, request, now),
})
