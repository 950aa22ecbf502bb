import { Webhook } from 'standardwebhooks'
import type { DueDelivery } from '../../../app/ports/webhooks.ts'
import { dueInShards } from '../../../app/sweep.ts'
import type { Event, EventType } from '../../../domain/chat/event.ts'
import { iso, minuteMs } from '../../../domain/time.ts'
import type { Answer } from '../../../domain/webhooks/delivery.ts'
import { hooksArea } from '../../../lambdas/hooks/index.ts'
import { outboxArea } from '../../../lambdas/outbox/index.ts'
import { sweepOutbox } from '../../../lambdas/outbox/sweep-outbox.ts'
import { webhookQueueArea } from '../../../lambdas/webhook-queue/index.ts'
import { queueDeliveries } from '../../../lambdas/webhook-queue/queue-deliveries.ts'
import { sweepDeliveries } from '../../../lambdas/webhook-queue/sweep-deliveries.ts'
import { webhookSenderArea } from '../../../lambdas/webhook-sender/index.ts'
import { sendDeliveries } from '../../../lambdas/webhook-sender/send-deliveries.ts'
import { openWorld, type Tenant } from '../../world.ts'

/** A request that an endpoint received. */
export interface Received {
  url: string
  headers: Readonly<Record<string, string>>
  body: string
  atMs: number
}

export const ok: Answer = { status: 200, failure: null, latencyMs: 5, retryAfterSeconds: null }
export const status = (code: number, retryAfterSeconds: number | null = null): Answer => ({
  ...ok,
  status: code,
  retryAfterSeconds,
})
export const silence: Answer = { ...ok, status: null, failure: 'timeout', latencyMs: 10_000 }

/** Users' endpoints, with a replacement for the internet and the bus. Waiting moves the clock. */
export async function openWebhooksWorld() {
  const received: Received[] = []
  const published: { userId: string; due: DueDelivery[] }[] = []
  const mails: { to: string; subject: string; text: string }[] = []
  /** The endpoints' responses by URL; 200 by default. */
  const answers = new Map<string, (sent: Received) => Answer | Promise<Answer>>()
  const net = { busDown: false }
  const world = await openWorld({
    areas: [hooksArea, webhookQueueArea, webhookSenderArea, outboxArea],
    ports: ['audit', 'events'],
    replace: ({ bus }) => ({
      bus: {
        async publish(type, userId, detail) {
          if (net.busDown) throw new Error('no bus')
          if (type !== 'webhooks.due') return bus.publish(type, userId)
          // Messages on the bus are JSON.
          published.push(JSON.parse(JSON.stringify({ userId, due: detail?.due })))
        },
      },
      mail: { send: async (mail) => void mails.push(mail) },
      webhookSender: {
        async post(url, headers, body) {
          const sent = { url, headers, body: String(body), atMs: world.clock.nowMs }
          received.push(sent)
          return (await answers.get(url)?.(sent)) ?? ok
        },
      },
    }),
  })
  const { ports, clock } = world
  clock.sleep = async (ms) => {
    clock.nowMs += ms
  }
  const context = <I>(input: I) => ({ input, deps: ports, now: clock.nowMs })

  let made = 0
  /** A user with a machine and an endpoint subscribed to these events. */
  async function owner(events: string[] = ['*'], url = `https://${++made}.example.com/berth`) {
    const tenant = await world.tenant()
    const { headers } = await world.session(tenant.userId)
    return { ...tenant, headers, ...(await newEndpoint({ ...tenant, headers }, events, url)) }
  }

  async function newEndpoint(
    by: Tenant & { headers: Record<string, string> },
    events = ['*'],
    url = 'https://a.example.com/',
  ) {
    const body = { name: 'My log', url, events }
    const answer = await world.request({ method: 'POST', path: '/hooks/endpoints', headers: by.headers, body })
    if (answer.status !== 201) throw new Error(`no endpoint was made: ${answer.text}`)
    const { endpoint, secret } = answer.body
    return { id: endpoint.id as string, url: endpoint.url as string, secret: secret as string } // safe because the contract says so
  }

  const ask = (by: { headers: Record<string, string> }, method: string, path: string, body?: object) =>
    world.request({ method, path: `/hooks/endpoints${path}`, headers: by.headers, ...(body && { body }) })

  const event = (type: EventType = 'wallet.low', data: object = {}): Event => ({
    id: world.nextId('evt'),
    type,
    at: iso(clock.nowMs),
    data: { ...data },
  })

  /** The function that the stream of the events table starts. */
  const tell = (userId: string, happened: Event = event()) =>
    queueDeliveries.run(context({ after: { userId, ...happened } }))

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

  const deliveries = async (me: { headers: Record<string, string>; id: string }) =>
    (await ask(me, 'GET', `/${me.id}/deliveries?limit=100`)).body.deliveries

  const shown = async (me: { headers: Record<string, string>; id: string }) =>
    (await ask(me, 'GET', '')).body.endpoints.find(({ id }: { id: string }) => id === me.id)

  /** Whether a receiver with this secret accepts the request, by the library of Standard Webhooks. */
  function believes(secret: string, { headers, body, atMs }: Received): boolean {
    // The library reads the current time, and gets the receiver's.
    const now = Date.now
    Date.now = () => atMs
    try {
      new Webhook(secret).verify(body, { ...headers })
      return true
    } catch {
      return false
    } finally {
      Date.now = now
    }
  }

  return {
    ...world,
    received,
    published,
    mails,
    answers,
    net,
    owner,
    newEndpoint,
    ask,
    event,
    tell,
    send,
    pass,
    runOutbox,
    deliveries,
    shown,
    believes,
  }
}

export type WebhooksWorld = Awaited<ReturnType<typeof openWebhooksWorld>>
