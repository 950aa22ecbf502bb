import type { Event } from '../../domain/chat/event.ts'
import { newDelivery } from '../../domain/webhooks/delivery.ts'
import { endpointLimits, wants } from '../../domain/webhooks/endpoint.ts'
import type { Users } from '../ports/account.ts'
import type { Bus, Instances } from '../ports/instance.ts'
import type { DueDelivery, Webhooks } from '../ports/webhooks.ts'
import { dueInShards, sweep } from '../sweep.ts'

/** Most deliveries that one bus message names, because of its limit of 256 KB. */
const mostInMessage = 500

/** Bus messages that a sweep sends at once. */
const messagesAtOnce = 16

export async function queueEvent(
  deps: { webhooks: Webhooks; users: Users; instances: Instances; bus: Bus },
  userId: string,
  event: Event,
  nowMs: number,
): Promise<void> {
  const wanting = (await deps.webhooks.endpoints(userId)).filter(
    (endpoint) => endpoint.disabled === null && wants(endpoint, event.type),
  )
  if (wanting.length === 0) return
  const [user, instance] = await Promise.all([deps.users.find(userId), deps.instances.find(userId)])
  if (!user || user.eraseAt) return
  const limits = endpointLimits(instance?.plan ?? '')
  const queued = await Promise.all(
    wanting.map(({ id }) => deps.webhooks.queue(userId, newDelivery(id, event, nowMs), limits, nowMs)),
  )
  const due = queued.flatMap((each) => (each.outcome === 'queued' ? [each.due] : []))
  if (due.length > 0) await startSending(deps, userId, due)
}

/** Requests sending at once. The deliveries are stored, so the sweep sends those that the bus refuses. */
export const startSending = ({ bus }: { bus: Bus }, userId: string, due: readonly DueDelivery[]): Promise<void> =>
  bus.publish('webhooks.due', userId, { due }).catch(() => undefined)

/** All due deliveries: retries, and those that no run has reached. @throws AggregateError of the failed ones */
export async function sweepDeliveries(deps: { webhooks: Webhooks; bus: Bus }, nowMs: number): Promise<void> {
  const byUser = new Map<string, DueDelivery[]>()
  for (const { userId, ...due } of await dueInShards((shard) => deps.webhooks.due(shard, nowMs)))
    byUser.set(userId, [...(byUser.get(userId) ?? []), due])
  const messages = [...byUser].flatMap(([userId, due]) =>
    Array.from({ length: Math.ceil(due.length / mostInMessage) }, (_, i) => ({
      userId,
      due: due.slice(i * mostInMessage, (i + 1) * mostInMessage),
    })),
  )
  const publish = ({ userId, due }: (typeof messages)[number]) => deps.bus.publish('webhooks.due', userId, { due })
  await sweep(messages, 'messages', publish, messagesAtOnce)
}
