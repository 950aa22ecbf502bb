import { publicOrLoopback } from '../../../adapters/web/public-request.ts'
import { openSender } from '../../../adapters/web/webhook-sender.ts'
import type { DueDelivery } from '../../../app/ports/webhooks.ts'
import { dueInShards } from '../../../app/sweep.ts'
import type { Event, EventType } from '../../../domain/chat/event.ts'
import type { Letter } from '../../../domain/notifications/letter.ts'
import { iso, minuteMs } from '../../../domain/time.ts'
import { authArea } from '../../../lambdas/auth/index.ts'
import { hooksArea } from '../../../lambdas/hooks/index.ts'
import { notificationsArea } from '../../../lambdas/notifications/index.ts'
import { outboxArea } from '../../../lambdas/outbox/index.ts'
import { sweepOutbox } from '../../../lambdas/outbox/sweep-outbox.ts'
import { webhookQueueArea } from '../../../lambdas/webhook-queue/index.ts'
import { notifyUser } from '../../../lambdas/webhook-queue/notify-user.ts'
import { sweepDeliveries } from '../../../lambdas/webhook-queue/sweep-deliveries.ts'
import { webhookSenderArea } from '../../../lambdas/webhook-sender/index.ts'
import { sendDeliveries } from '../../../lambdas/webhook-sender/send-deliveries.ts'
import { startPushService } from '../../push-service/server.ts'
import { openWorld, type TestRequest } from '../../world.ts'

/**
 * Users with browsers behind a push service, their events, and the functions that notify them. Waiting moves the clock.
 */
export async function openNotificationsWorld() {
  const pushService = await startPushService()
  const published: { userId: string; due: DueDelivery[] }[] = []
  const mails: Letter[] = []
  const net = { busDown: false }
  const world = await openWorld({
    areas: [notificationsArea, authArea, hooksArea, webhookQueueArea, webhookSenderArea, outboxArea],
    ports: ['audit', 'events', 'connections'],
    replace: ({ bus, settings }) => ({
      // A laptop's settings, because browsers' push services may be on its own loopback.
      settings: { ...settings, production: false },
      webhookSender: openSender(publicOrLoopback, true),
      mail: { send: async (letter) => void mails.push(letter) },
      bus: {
        async publish(type, userId, detail) {
          if (net.busDown) throw new Error('no bus')
          if (type !== 'webhooks.due') return bus.publish(type, userId)
          // Messages on the bus are JSON.
          published.push(JSON.parse(JSON.stringify({ userId, due: detail?.due })))
        },
      },
    }),
  })
  const { ports, clock } = world
  clock.sleep = async (ms) => {
    clock.nowMs += ms
  }
  const context = <I>(input: I) => ({ input, deps: ports, now: clock.nowMs })

  /** A signed-in user with a machine. */
  async function person() {
    const tenant = await world.tenant()
    const { headers: shown, record } = await world.session(tenant.userId)
    // Without TLS the cookie has this name.
    const headers = { Cookie: shown.Cookie.replace('__Secure-', '') }
    const ask = (request: TestRequest) => world.request({ ...request, headers: { ...headers, ...request.headers } })
    return { ...tenant, sessionId: record.id, ask }
  }
  type Person = Awaited<ReturnType<typeof person>>

  /** A browser of the user that gets pushes. */
  async function browser(of: Person) {
    const { body } = await of.ask({ path: '/notifications/settings' })
    const subscriber = pushService.subscribe(body.publicKey)
    const { endpoint, p256dh, auth } = subscriber
    const answer = await of.ask({ method: 'POST', path: '/notifications/devices', body: { endpoint, p256dh, auth } })
    if (answer.status !== 201) throw new Error(`not added: ${answer.text}`)
    return { ...subscriber, id: answer.body.device.id as string } // safe because the contract says so
  }

  const event = (type: EventType, data: object = {}): Event => ({
    id: world.nextId('evt'),
    type,
    at: iso(clock.nowMs),
    data: { ...data },
  })

  /** The function that the stream of the events table starts. */
  const tell = (userId: string, happened: Event) => notifyUser.run(context({ after: { userId, ...happened } }))

  /** Runs the functions that the bus starts, until it is empty. */
  async function send(): Promise<void> {
    for (let next = published.shift(); next; next = published.shift()) await sendDeliveries.run(context(next))
  }

  /** Moves the clock to each minute in which a sweep finds work. */
  async function pass(ms: number): Promise<void> {
    const endMs = clock.nowMs + ms
    for (;;) {
      const due = await dueInShards((shard) => ports.webhooks.due(shard, endMs))
      const firstMs = Math.max(clock.nowMs, Math.min(...due.map(({ dueMs }) => dueMs)))
      const minute = Math.ceil(firstMs / minuteMs) * minuteMs
      if (due.length === 0 || minute > endMs) break
      clock.nowMs = Math.max(minute, clock.nowMs)
      await sweepDeliveries.run(context({}))
      if (published.length === 0) clock.nowMs += minuteMs
      await send()
    }
    clock.nowMs = Math.max(clock.nowMs, endMs)
  }

  const runOutbox = () => sweepOutbox.run(context({}))

  const listed = async (of: Person) => (await of.ask({ path: '/notifications?limit=100' })).body

  /** An open page of the user. */
  const openPage = async ({ userId, sessionId }: Person) => {
    const actor = { kind: 'session', userId, sessionId, signedInAt: iso(clock.nowMs) } as const
    const made = { id: world.nextId('req'), actor, openedMs: clock.nowMs }
    await ports.connections.open(made)
    return () => ports.connections.close(made)
  }

  const pushed = (to: { endpoint: string; open(body: Uint8Array): string }) =>
    pushService.messages(to.endpoint).map(({ body }) => JSON.parse(to.open(body)))

  return {
    ...world,
    pushService,
    published,
    mails,
    net,
    person,
    browser,
    event,
    tell,
    send,
    pass,
    runOutbox,
    listed,
    openPage,
    pushed,
    async close() {
      await pushService.close()
      await world.close()
    },
  }
}

export type NotificationsWorld = Awaited<ReturnType<typeof openNotificationsWorld>>
