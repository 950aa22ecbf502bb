import { createWebhookEndpoint } from './create-webhook-endpoint.ts'
import { deleteWebhookEndpoint } from './delete-webhook-endpoint.ts'
import { listWebhookDeliveries } from './list-webhook-deliveries.ts'
import { listWebhookEndpoints } from './list-webhook-endpoints.ts'
import { replayWebhookDelivery } from './replay-webhook-delivery.ts'
import { rotateWebhookSecret } from './rotate-webhook-secret.ts'
import { testWebhookEndpoint } from './test-webhook-endpoint.ts'
import { updateWebhookEndpoint } from './update-webhook-endpoint.ts'

/** The function of `hooksArea` runs them. */
export const webhookOperations = [
  listWebhookEndpoints,
  createWebhookEndpoint,
  updateWebhookEndpoint,
  deleteWebhookEndpoint,
  rotateWebhookSecret,
  testWebhookEndpoint,
  listWebhookDeliveries,
  replayWebhookDelivery,
]
