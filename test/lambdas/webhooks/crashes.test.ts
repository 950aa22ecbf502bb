import { dayMs, hourMs, minuteMs } from '../../../domain/time.ts'
import { type Answer, isSuccess } from '../../../domain/webhooks/delivery.ts'
import { cases } from '../../counts.ts'
import { dying } from '../kit/crash-world.ts'
import { ok, openWebhooksWorld, type Received, silence, status, type WebhooksWorld } from './webhooks-world.ts'

let world: WebhooksWorld
beforeAll(async () => {
  world = await openWebhooksWorld()
})
afterAll(() => world.close())

/** Reproducible random numbers from 0 to 1. */
function numbers(seed: number): () => number {
  let state = seed + 1
  return () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
}

const moods: (() => Answer)[] = [
  () => ok,
  () => ok,
  () => status(202),
  () => status(500),
  () => status(302),
  () => silence,
  () => status(429, 90),
  () => ({ ...silence, failure: 'refused-address' }),
]

interface Sent extends Received {
  answered: Answer | null
}

/**
 * Publishes, sends and sweeps events while processes die and endpoints fail, then waits a quiet day. Returns the
 * requests by delivery.
 */
async function simulate(seed: number) {
  const random = numbers(seed)
  const pick = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)] as T // safe because it is below the length
  const sent: Sent[] = []
  let quiet = false
  const owners = [await world.owner(), await world.owner(['wallet.low', 'message.sent'])]
  const endpoints = await Promise.all(
    owners.flatMap((me) => [
      { ...me },
      world.newEndpoint(me, ['*'], `https://${me.id.slice(-6)}.example.com/`).then((made) => ({ ...me, ...made })),
    ]),
  )
  // In every third run an endpoint never recovers.
  const dead = seed % 3 === 2 ? endpoints.at(-1)?.url : undefined
  for (const { url } of endpoints)
    world.answers.set(url, (got) => {
      const record: Sent = { ...got, answered: null }
      sent.push(record)
      // The sender dies after the endpoint's acceptance, before it reads the response.
      if (!quiet && random() < 0.1) throw new Error('killed')
      record.answered = url === dead ? status(500) : quiet ? ok : pick(moods)()
      return record.answered
    })
  const die = () => (quiet || random() < 0.5 ? Number.POSITIVE_INFINITY : 1 + Math.floor(random() * 6))
  const tolerate = (run: () => Promise<unknown>) => dying(die(), () => run().catch(() => undefined))
  const told: { userId: string; id: string }[] = []
  for (let step = 0; step < 25; step++) {
    const { userId } = pick(owners)
    const happened = world.event(pick(['wallet.low', 'message.sent', 'prompt.closed'] as const))
    told.push({ userId, id: happened.id })
    world.net.busDown = random() < 0.2
    // The stream repeats a change until it is done, and sometimes once more.
    while (await dying(die(), () => world.tell(userId, happened)));
    world.net.busDown = false
    if (random() < 0.2) await world.tell(userId, happened)
    if (random() < 0.2) world.published.push(...world.published.slice(-1))
    await tolerate(world.send)
    if (random() < 0.3) await tolerate(() => world.pass(Math.floor(random() * 2 * hourMs)))
  }
  quiet = true
  world.clock.nowMs += 3 * minuteMs
  await world.pass(dayMs + 2 * hourMs)
  return { sent, told, endpoints }
}

test('each stored delivery ends delivered or failed, under one id and with valid signatures, whatever dies and fails', async () => {
  const seen = { delivered: 0, failed: 0, twice: 0, tries: 0 }
  for (let seed = 0; seed < cases(24, 3); seed++) {
    const { sent, told, endpoints } = await simulate(seed)
    for (const me of endpoints) {
      const stored = await world.ports.webhooks.deliveries(me.userId, me.id, { after: null, limit: 100 })
      const wanted = told.filter(({ userId }) => userId === me.userId)
      const endpoint = await world.ports.webhooks.findEndpoint(me.userId, me.id)
      // Exactly the events of the endpoint's types have a delivery.
      if (endpoint?.events.includes('*'))
        expect(stored.items.map(({ id }) => id).sort()).toEqual([...new Set(wanted.map(({ id }) => id))].sort())
      for (const { id, state, nextTryAt, body, tries } of stored.items) {
        const of = sent.filter(({ url, headers }) => url === me.url && headers['webhook-id'] === id)
        const taken = of.filter(({ answered }) => answered === null || isSuccess(answered))
        expect([id, state, nextTryAt]).toEqual([id, expect.stringMatching(/^(delivered|failed)$/), null])
        if (state === 'delivered') expect(taken.length).toBeGreaterThanOrEqual(1)
        expect(new Set(of.map((each) => each.body))).toEqual(new Set(of.length > 0 ? [body] : []))
        for (const each of of) expect(world.believes(me.secret, each)).toBe(true)
        expect(tries.length).toBeLessThanOrEqual(of.length)
        seen[state === 'delivered' ? 'delivered' : 'failed'] += 1
        seen.twice += taken.length > 1 ? 1 : 0
        seen.tries += of.length
      }
      const known = new Set(stored.items.map(({ id }) => id))
      for (const { url, headers } of sent) if (url === me.url) expect(known).toContain(headers['webhook-id'])
    }
  }
  if (process.env.SHOW) console.log(seen)
  // The simulation did contain failed tries and repeated deliveries.
  expect(Math.min(seen.delivered, seen.failed, seen.twice)).toBeGreaterThan(0)
  expect(seen.tries).toBeGreaterThan(seen.delivered + seen.failed)
})
