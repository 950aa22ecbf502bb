import * as z from 'zod'
import { type Sample, sample } from '../../../domain/instance/metrics.ts'
import { getInstanceMetrics } from '../../../lambdas/instance/get-instance-metrics.ts'
import { type AgentTenant, type AgentWorld, openAgentWorld } from './agent-world.ts'

let world: AgentWorld
beforeAll(async () => {
  world = await openAgentWorld()
})
afterAll(() => world.close())

const measured = (cpuPercent: number) => ({
  cpuPercent,
  memoryBytes: 100_000_000,
  memoryLimitBytes: 1_000_000_000,
  diskBytes: 5_000_000,
  uptimeSeconds: 61,
})
const beat = (who: AgentTenant, cpuPercent: number) =>
  who.call('/agent/observe', { body: { kind: 'heartbeat', busy: false, measured: measured(cpuPercent) } })

/** The machine's metrics as its owner reads them. */
const read = async ({ userId }: AgentTenant): Promise<{ samples: Sample[] }> => {
  const context = { input: {}, actor: { kind: 'session', userId }, deps: world.ports }
  // safe because the operation reads only these parts of its context
  const given = { ...context, now: world.clock.nowMs } as unknown as Parameters<typeof getInstanceMetrics.run>[0]
  return z.object({ samples: z.array(sample) }).parse(await getInstanceMetrics.run(given))
}

test.each([{ cpuPercent: -1 }, { diskBytes: 1.5 }, { memoryBytes: '1' }])('%j is rejected', async (wrong) => {
  const who = await world.tenant()
  const body = { kind: 'heartbeat', busy: false, measured: { ...measured(1), ...wrong } }
  expect((await who.call('/agent/observe', { body })).status).toBe(400)
})

test('the owner reads the machine’s measurements: the last of each minute, for the last hour, of this machine only', async () => {
  const [mine, other] = [await world.tenant(), await world.tenant()]
  world.clock.nowMs += 60_000 - (world.clock.nowMs % 60_000)
  await beat(mine, 10)
  world.clock.nowMs += 30_000
  await beat(mine, 20)
  world.clock.nowMs += 60_000
  await beat(mine, 30)
  await beat(other, 90)
  const { samples } = await read(mine)
  expect(samples).toMatchObject([measured(20), measured(30)])
  const [before, last] = samples.map(({ at }) => Date.parse(at))
  expect(Math.round(((last ?? 0) - (before ?? 0)) / 1_000)).toBe(60)
  world.clock.nowMs += 60 * 60_000
  expect(await read(mine)).toMatchObject({ samples: [{ cpuPercent: 30 }] })
  world.clock.nowMs += 60_000
  expect(await read(mine)).toEqual({ samples: [] })
})

test('a report stores one sample per minute since the last report, and no older or future sample', async () => {
  const who = await world.tenant()
  world.clock.nowMs += 60_000 - (world.clock.nowMs % 60_000)
  const at = (minutes: number) => new Date(world.clock.nowMs + minutes * 60_000).toISOString()
  const samples = [-61, ...Array.from({ length: 57 }, (_, i) => i - 57), 0, 5].map((minutes) => ({
    ...measured(minutes === 0 ? 50 : 1),
    at: at(minutes),
  }))
  const report = () => who.call('/agent/observe', { body: { kind: 'heartbeat', busy: false, samples } })
  expect(await report()).toMatchObject({ status: 200, body: { accepted: true, work: true } })
  // A report that is repeated after a lost response changes nothing.
  await report()
  const read1 = await read(who)
  expect(read1.samples).toHaveLength(58)
  expect(read1.samples.at(-1)).toEqual({ ...measured(50), at: at(0) })
  const tooMany = Array.from({ length: 61 }, () => samples[0])
  const refused = await who.call('/agent/observe', { body: { kind: 'heartbeat', busy: false, samples: tooMany } })
  expect(refused.status).toBe(400)
})

test('the response to a report says whether work is waiting, and asks for the daily restore point', async () => {
  const who = await world.tenant()
  const report = async (): Promise<boolean | undefined> => {
    const samples = [{ ...measured(1), at: new Date(world.clock.nowMs).toISOString() }]
    const { body } = await who.call('/agent/observe', { body: { kind: 'heartbeat', busy: false, samples } })
    return z.object({ work: z.boolean().optional() }).parse(body).work
  }
  const take = async () => (await who.call('/agent/prompt?tasks=too')).body
  // The first report requested this restore point.
  expect(await report()).toBe(true)
  expect((await take()).task?.job.kind).toBe('snapshot')
  expect(await report()).toBe(false)
  await who.say('Anybody there?')
  expect(await report()).toBe(true)
  await take()
  expect(await report()).toBe(false)
  expect((await who.call('/agent/observe', { body: { kind: 'heartbeat', busy: false } })).body).toEqual({
    accepted: true,
  })
})
