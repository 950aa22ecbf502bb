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

/** What the owner reads of the machine. */
const read = async ({ userId }: AgentTenant): Promise<{ samples: Sample[] }> => {
  const context = { input: {}, actor: { kind: 'session', userId }, deps: { metrics: world.ports.metrics } }
  // safe because the operation reads these parts of its context only
  const given = { ...context, now: world.clock.nowMs } as unknown as Parameters<typeof getInstanceMetrics.run>[0]
  return z.object({ samples: z.array(sample) }).parse(await getInstanceMetrics.run(given))
}

test.each([{ cpuPercent: -1 }, { diskBytes: 1.5 }, { memoryBytes: '1' }])('%j is refused', async (wrong) => {
  const who = await world.tenant()
  const body = { kind: 'heartbeat', busy: false, measured: { ...measured(1), ...wrong } }
  expect((await who.call('/agent/observe', { body })).status).toBe(400)
})

test('what a machine measures is what its owner reads: the last of each minute, of the last hour, of nobody else', async () => {
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
