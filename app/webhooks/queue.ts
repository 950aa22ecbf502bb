import type { Event } from '../../domain/chat/event.ts'
import { newDelivery } from '../../domain/webhooks/delivery.ts'
import { endpointLimits, wants } from '../../domain/webhooks/endpoint.ts'
import type { Ports } from '../ports.ts'
import { dueInShards, sweep } from '../sweep.ts'
import type { DueDelivery } from './ports.ts'

/** Most deliveries that one message on the bus names: a message has 256 KB. */
const mostInMessage = 500

/** Messages that a sweep puts on the bus at once. */
const messagesAtOnce = 16

/** Stores what an event is to become for each endpoint of its user that wants it, once, and has it sent. */
export async function queueEvent(
  deps: Pick<Ports, 'webhooks' | 'users' | 'instances' | 'bus'>,
  userId: string,
  event: Event,
  nowMs: number,
): Promise<void> {
  const wanting = (await deps.webhooks.endpoints(userId)).filter(
    (endpoint) => endpoint.disabled === null && wants(endpoint, event.type),
  )
  if (wanting.length === 0) return
  const [user, instance] = await Promise.all([deps.users.find(userId), deps.instances.find(userId)])
  // The user of a closed account gets no further notifications.
  if (!user || user.eraseAt) return
  const limits = endpointLimits(instance?.plan ?? '')
  const queued = await Promise.all(
    wanting.map(({ id }) => deps.webhooks.queue(userId, newDelivery(id, event, nowMs), limits, nowMs)),
  )
  const due = queued.flatMap((each) => (each.outcome === 'queued' ? [each.due] : []))
  if (due.length > 0) await startSending(deps, userId, due)
}

/** Has deliveries sent at once. They are stored, so what the bus does not take is sent by the sweep. */
export const startSending = ({ bus }: Pick<Ports, 'bus'>, userId: string, due: readonly DueDelivery[]): Promise<void> =>
  bus.publish('webhooks.due', userId, { due }).catch(() => undefined)

/** Has sent what is due by now: next tries, and what nobody got to. @throws AggregateError of what failed */
export async function sweepDeliveries(deps: Pick<Ports, 'webhooks' | 'bus'>, nowMs: number): Promise<void> {
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
