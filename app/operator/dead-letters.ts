import { showInbound, showOutgoing } from '../../domain/channels/delivery.ts'
import { notFound } from '../../domain/errors.ts'
import { type DeadLetter, overdueMs } from '../../domain/operator/dead-letter.ts'
import { iso } from '../../domain/time.ts'
import { replayDelivery } from '../channels/manage.ts'
import type { OutboxFor } from '../outbox/outbox.ts'
import type { DeliveryLog, InboundDeliveries, OutgoingMessages } from '../ports/channels.ts'
import type { Bus, Instances } from '../ports/instance.ts'
import type { OverdueIntents } from '../ports/operator.ts'
import type { Webhooks } from '../ports/webhooks.ts'
import { replayToEndpoint } from '../webhooks/replay.ts'

/** Limits per shard of the outbox, per user's chats, and per webhook endpoint. */
const most = { perShard: 20, chats: 100, perEndpoint: 30 }

export async function overdueFollowUps(
  { overdueIntents }: { overdueIntents: OverdueIntents },
  nowMs: number,
): Promise<DeadLetter[]> {
  const found = await overdueIntents.before(nowMs - overdueMs, most.perShard)
  return found
    .sort((a, b) => a.createdMs - b.createdMs)
    .map(({ userId, id, kind, createdMs, nextMs }) => ({
      kind: 'follow-up',
      user: userId,
      id,
      endpoint: null,
      what: kind,
      why: null,
      at: iso(createdMs),
      nextTryAt: iso(nextMs),
    }))
}

/** A user's failed deliveries to chats and webhook endpoints, without their content. */
export async function failedDeliveries(
  { deliveryLog, webhooks }: { deliveryLog: DeliveryLog; webhooks: Webhooks },
  user: string,
): Promise<DeadLetter[]> {
  const [chats, endpoints] = await Promise.all([
    deliveryLog.list(user, { after: null, limit: most.chats }),
    webhooks.endpoints(user),
  ])
  const ofChats = chats.items
    .map((delivery) => ('in' in delivery ? showInbound(delivery.in, new Map()) : showOutgoing(delivery.out, new Map())))
    .filter(({ state }) => state === 'failed')
    .map(({ id, direction, platform, reason, at }): DeadLetter => {
      const what = `${platform}, ${direction === 'in' ? 'from' : 'to'} a chat`
      return { kind: 'chat', user, id, endpoint: null, what, why: reason, at, nextTryAt: null }
    })
  const ofEndpoints = await Promise.all(
    endpoints.map(async ({ id: endpoint }) => {
      const { items } = await webhooks.deliveries(user, endpoint, { after: null, limit: most.perEndpoint })
      return items
        .filter(({ state }) => state === 'failed')
        .map(({ id, type, createdAt, cancelled, tries }): DeadLetter => {
          const last = tries.at(-1)
          const why = cancelled ?? last?.failure ?? (last?.status ? `answered ${last.status}` : null)
          return { kind: 'webhook', user, id, endpoint, what: type, why, at: createdAt, nextTryAt: null }
        })
    }),
  )
  return [...ofChats, ...ofEndpoints.flat()]
}

type ReplayPorts = {
  overdueIntents: OverdueIntents
  inboundDeliveries: InboundDeliveries
  outgoingMessages: OutgoingMessages
  webhooks: Webhooks
  instances: Instances
  bus: Bus
}

/** Schedules a retry within a minute. @throws not-found, conflict, rate-limited */
export async function replayDeadLetter(
  deps: ReplayPorts,
  { kind, user, id, endpoint }: Pick<DeadLetter, 'kind' | 'user' | 'id'> & { endpoint?: string | undefined },
  nowMs: number,
  outboxFor: OutboxFor,
): Promise<void> {
  if (kind === 'webhook') {
    const named = { endpointId: endpoint ?? '', deliveryId: id }
    return void (await replayToEndpoint(deps, user, named, nowMs, outboxFor))
  }
  if (kind === 'chat') return replayDelivery(deps, user, id, nowMs, outboxFor(id))
  if (!(await deps.overdueIntents.retry(user, id, nowMs, outboxFor(id)))) throw notFound('follow-up')
}
