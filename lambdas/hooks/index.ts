import { area } from '../kit/area.ts'
import { createHook } from './create-hook.ts'
import { createWebhookEndpoint } from './create-webhook-endpoint.ts'
import { deleteHook } from './delete-hook.ts'
import { deleteWebhookEndpoint } from './delete-webhook-endpoint.ts'
import { listHooks } from './list-hooks.ts'
import { listWebhookDeliveries } from './list-webhook-deliveries.ts'
import { listWebhookEndpoints } from './list-webhook-endpoints.ts'
import { receiveDelivery } from './receive-delivery.ts'
import { replayWebhookDelivery } from './replay-webhook-delivery.ts'
import { rerollHook } from './reroll-hook.ts'
import { rotateWebhookSecret } from './rotate-webhook-secret.ts'
import { testWebhookEndpoint } from './test-webhook-endpoint.ts'
import { updateWebhookEndpoint } from './update-webhook-endpoint.ts'

export const hooksArea = area({
  name: 'hooks',
  operations: [
    listHooks,
    createHook,
    deleteHook,
    rerollHook,
    receiveDelivery,
    listWebhookEndpoints,
    createWebhookEndpoint,
    updateWebhookEndpoint,
    deleteWebhookEndpoint,
    rotateWebhookSecret,
    testWebhookEndpoint,
    listWebhookDeliveries,
    replayWebhookDelivery,
  ],
})
