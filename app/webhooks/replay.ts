import { conflict, notFound } from '../../domain/errors.ts'
import { type DeliveryRecord, replayed } from '../../domain/webhooks/delivery.ts'
import { endpointLimits, fullOf, wants } from '../../domain/webhooks/endpoint.ts'
import type { OutboxFor } from '../outbox/outbox.ts'
import type { Bus, Instances } from '../ports/instance.ts'
import type { Webhooks } from '../ports/webhooks.ts'
import { startSending } from './queue.ts'

/** Counts like a new delivery. @throws not-found, conflict, rate-limited */
export async function replayToEndpoint(
  deps: { instances: Instances; webhooks: Webhooks; bus: Bus },
  userId: string,
  named: { endpointId: string; deliveryId: string },
  nowMs: number,
  outboxFor: OutboxFor,
): Promise<DeliveryRecord> {
  const [endpoint, delivery, instance] = await Promise.all([
    deps.webhooks.findEndpoint(userId, named.endpointId),
    deps.webhooks.findDelivery(userId, named.endpointId, named.deliveryId),
    deps.instances.find(userId),
  ])
  if (!endpoint || !delivery) throw notFound('delivery')
  if (endpoint.disabled !== null) throw conflict('The endpoint is disabled. Enable it first.')
  if (!wants(endpoint, delivery.type)) throw conflict('The endpoint no longer subscribes to this type.')
  const limits = endpointLimits(instance?.plan ?? '')
  const again = replayed(delivery, nowMs)
  const queued = await deps.webhooks.replay(userId, again, limits, nowMs, outboxFor(endpoint.id))
  if (queued.outcome !== 'queued') throw fullOf(queued.outcome === 'too-many-today' ? 'day' : 'hour', limits, nowMs)
  await startSending(deps, userId, [queued.due])
  return again
}
