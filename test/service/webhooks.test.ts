import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { Webhook } from 'standardwebhooks'
import type { Event } from '../../domain/chat/event.ts'
import type { WebhookDelivery } from '../../domain/webhooks/delivery.ts'
import { ask, type Caller, call, hostedUser, until } from './client.ts'

interface Received {
  path: string
  headers: IncomingHttpHeaders
  body: string
}

const received: Received[] = []
/** Statuses of the next answers, by path; 204 by default. */
const answers = new Map<string, number[]>()
let receiver: Server
let base = ''
beforeAll(async () => {
  receiver = createServer(async (request, response) => {
    const path = request.url ?? ''
    received.push({ path, headers: request.headers, body: await text(request) })
    response.writeHead(answers.get(path)?.shift() ?? 204).end()
  }).listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  base = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}` // safe because it listens on TCP
})
afterAll(() => void receiver.close())

const sentTo = (path: string) => received.filter((each) => each.path === path)
const arrived = (path: string, count: number) =>
  until(
    `${count} at ${path}`,
    async () => sentTo(path),
    ({ length }) => length >= count,
    30,
  )

async function newEndpoint(caller: Caller, path: string, events: string[]) {
  const sent = { name: 'My log', url: `${base}${path}`, events }
  const { status, body } = await call('POST', '/hooks/endpoints', sent, caller)
  expect(status).toBe(201)
  return { id: body.endpoint.id as string, secret: body.secret as string } // safe because the contract says so
}

const verified = (secret: string, { body, headers }: Received): Event =>
  new Webhook(secret).verify(body, headers as Record<string, string>) as Event // safe because the receiver gets this shape

const deliveries = async (caller: Caller, id: string): Promise<WebhookDelivery[]> =>
  (await call('GET', `/hooks/endpoints/${id}/deliveries`, undefined, caller)).body.deliveries

describe('a webhook endpoint', () => {
  test('gets events, signed for the library of Standard Webhooks, and gets them again after a failure', async () => {
    const user = await hostedUser(500)
    const { id, secret } = await newEndpoint(user, '/all', ['message.received', 'message.sent'])
    answers.set('/all', [503])
    await ask(user, 'are you awake?')
    const all = await arrived('/all', 3)
    const told = all.map((each) => verified(secret, each))
    expect(new Set(told.map(({ type }) => type))).toEqual(new Set(['message.received', 'message.sent']))
    expect(new Set(told.map((event) => event.id)).size).toBe(2)
    for (const each of all) {
      expect(each.headers['webhook-id']).toBe(verified(secret, each).id)
      expect(() => verified(secret, { ...each, body: `${each.body} ` })).toThrow()
    }
    const listed = await until(
      'the deliveries',
      () => deliveries(user, id),
      (seen) => seen.length === 2 && seen.every(({ state }) => state === 'delivered'),
    )
    expect(listed.map(({ tries }) => tries.map(({ status }) => status)).sort()).toEqual([[204], [503, 204]])
  })

  test('can be tested, get a new secret, and get a replay', async () => {
    const user = await hostedUser(500)
    const { id, secret } = await newEndpoint(user, '/test', ['token.leaked'])
    const { status, body } = await call('POST', `/hooks/endpoints/${id}/test`, undefined, user)
    expect(status).toBe(202)
    const [first] = await arrived('/test', 1)
    if (!first) throw new Error('nothing came')
    expect(verified(secret, first)).toMatchObject({ id: body.delivery.id, type: 'webhook.test', data: {} })
    const rotated = await call('POST', `/hooks/endpoints/${id}/rotate`, undefined, user)
    await until(
      'its end',
      () => deliveries(user, id),
      (seen) => seen[0]?.state === 'delivered',
    )
    await call('POST', `/hooks/endpoints/${id}/deliveries/${body.delivery.id}/replay`, undefined, user)
    const [, again] = await arrived('/test', 2)
    if (!again) throw new Error('nothing came again')
    expect(verified(secret, again)).toEqual(verified(rotated.body.secret, again))
    expect(again.body).toBe(first.body)
  })

  test('needs a public address, except for this machine’s own loopback on this machine', async () => {
    const user = await hostedUser(500)
    for (const url of [
      'http://10.0.0.1/',
      'https://169.254.169.254/',
      'http://example.com/',
      'https://[fd00:ec2::254]/',
    ]) {
      const { status, body } = await call('POST', '/hooks/endpoints', { name: 'x', url, events: ['*'] }, user)
      expect([url, status, Object.keys(body.details ?? {})]).toEqual([url, 400, ['url']])
    }
  })
})
