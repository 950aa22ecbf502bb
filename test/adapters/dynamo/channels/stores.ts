import { ScanCommand } from '@aws-sdk/client-dynamodb'
import { database } from '../../../../adapters/dynamo/client.ts'
import type { Ports } from '../../../../adapters/ports.ts'
import { platforms } from '../../../../domain/channels/platform.ts'
import { accountArea } from '../../../../lambdas/account/index.ts'
import { agentArea } from '../../../../lambdas/agent/index.ts'
import type { VirtualClock } from '../../../app/channels/simulation/clock.ts'
import type { Store } from '../../../app/channels/simulation/episode.ts'
import { openWorld, type World } from '../../../world.ts'

/** A world with the channels' stores over DynamoDB. */
export const openChannelWorld = (): Promise<World> =>
  openWorld({
    areas: [agentArea, accountArea],
    ports: [
      'channelLinks',
      'inboundDeliveries',
      'outgoingMessages',
      'deliveryLog',
      'conversations',
      'questions',
      'attachments',
      'attachmentFiles',
      'checkouts',
      'payments',
      'events',
      'bus',
      'erasure',
    ],
  })

/** All items of the channels' table. */
export async function everyItem({ env }: World) {
  const { Items = [] } = await database().send(new ScanCommand({ TableName: env.table('channels') }))
  return Items
}

/**
 * The stores over DynamoDB for one episode. Its own users, chats and times keep it apart from others in the same
 * tables.
 */
export async function openDynamo(world: World, clock: VirtualClock): Promise<Store> {
  const { ports } = world
  const users: string[] = []
  /** The episode's clock waits for calls that do not run on it. */
  const waitedFor =
    <A extends unknown[], T>(call: (...args: A) => Promise<T>) =>
    async (...args: A): Promise<T> => {
      clock.pending++
      try {
        return await call(...args)
      } finally {
        clock.pending--
      }
    }
  const { events, bus, outbox } = ports
  const own: Partial<Ports> = {
    ...ports,
    events: { ...events, record: waitedFor(events.record) },
    bus: { ...bus, publish: waitedFor(bus.publish) },
    outbox: { ...outbox, remove: waitedFor(outbox.remove) },
  }
  return {
    ports: own,
    async nextDueMs() {
      const mine = new Set([...users, ...platforms.map((platform) => `nobody#${platform}`)])
      const due = (await everyItem(world)).filter(
        ({ id, item }) => item?.S?.startsWith('in#') || mine.has(id?.S?.slice('user#'.length) ?? ''),
      )
      const times = due.flatMap(({ dueAt }) => (dueAt?.N === undefined ? [] : [Number(dueAt.N)]))
      return times.length > 0 ? Math.min(...times) : null
    },
    async newUser(state, isPoor) {
      world.clock.nowMs = clock.nowMs
      const { userId, instance } = await world.tenant({
        state,
        desiredState: state,
        reason: state === 'paused' ? 'idle' : 'subscribed',
      })
      if (!isPoor)
        await ports.wallets.creditOnce(
          userId,
          'first',
          5_000_000,
          'adjustment',
          'Credit',
          new Date(clock.nowMs).toISOString(),
        )
      users.push(userId)
      return { userId, instanceId: instance.id }
    },
  }
}
