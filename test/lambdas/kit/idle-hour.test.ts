import { checkRunning } from '../../../app/instance/check-running.ts'
import { deadlineOf } from '../../../domain/instance/deadlines-and-retries.ts'
import { hourMs } from '../../../domain/time.ts'
import { areas } from '../../../lambdas/areas.ts'
import { idleHour } from '../../../lib/reports/counts.ts'
import { counted } from '../../adapters/engine.ts'
import { origin } from '../../cloud.ts'
import { connectSocket } from '../../sockets.ts'
import { until } from '../../until.ts'
import type { Tenant } from '../../world.ts'
import { type CostWorld, listed, openCostWorld } from './cost-world.ts'

let world: CostWorld
let tenant: Tenant
beforeAll(async () => {
  world = await openCostWorld()
  tenant = await world.tenant()
})
afterAll(() => world.close())

/** Average number per hour: a connection is renewed after 105 minutes at the earliest. */
const renewals = 60 / 105
/** A machine's reports, each with its token; its other tokens; an open dashboard's requests. */
const [reports, tokens, resumes] = [3, 1.5, 3]

const sample = (minute: number) => ({
  at: new Date(world.clock.now() - minute * 60_000).toISOString(),
  ...{ cpuPercent: 1, memoryBytes: 1, memoryLimitBytes: 2, diskBytes: 1, uptimeSeconds: 1 },
})

/** The store requests of a machine's request. */
async function request(id: string, audience: 'agent' | 'llm' | 'files', body?: object): Promise<number> {
  const [, areaName = '', operation] = listed.find(([name]) => name === id) ?? []
  if (!operation) throw new Error(`there is no operation ${id}`)
  const headers = await world.machine(tenant, audience)
  const { status, calls } = await world.measure(areaName, operation, { headers, ...(body && { body }) })
  expect(status).toBe(200)
  return calls.length
}

/** The store requests of a connection: at its start, at each resume, and at its end by the client. */
async function connection(headers: Record<string, string>, resumed: boolean) {
  const of = async (act: () => Promise<unknown>) => (await counted(act)).calls.length
  let client: Awaited<ReturnType<typeof connectSocket>> | undefined
  const opened = await of(async () => {
    client = await connectSocket(world.socketApi?.url ?? '', headers)
  })
  const asked = resumed
    ? await of(async () => {
        client?.send({ action: 'resume', after: null })
        await until(() => client?.got.some(({ type }) => type === 'resumed'))
      })
    : 0
  const open = (await world.ports.connections.list(tenant.userId)).length
  const ended = await of(async () => {
    client?.close()
    await until(async () => (await world.ports.connections.list(tenant.userId)).length < open)
  })
  return { opened, asked, ended }
}

test('an awake machine and its open dashboard cause at most the store requests per hour that the prices assume', async () => {
  const report = { kind: 'heartbeat', busy: false, samples: Array.from({ length: 20 }, (_, minute) => sample(minute)) }
  const [reported, listedModels, files] = [
    await request('observeAgent', 'agent', report),
    await request('listMachineModels', 'llm'),
    await request('getAgentFiles', 'files'),
  ]
  const machine = await connection(await world.machine(tenant, 'agent'), false)
  const page = await connection({ ...(await world.session(tenant.userId)).headers, Origin: origin }, true)
  const record = await world.ports.instances.find(tenant.userId)
  if (!record) throw new Error('there is no instance')
  const checked = await counted(() => checkRunning(world.ports, record, world.clock.now()))
  const checks = hourMs / deadlineOf.running

  const invocations = reports + 2 * tokens + resumes + 2 * 2 * renewals
  const storeRequests =
    reports * reported +
    tokens * (listedModels + files) +
    resumes * page.asked +
    renewals * (machine.opened + machine.ended + page.opened + page.ended) +
    checks * checked.calls.length
  expect(areas.map(({ name }) => name)).toContain('socket')
  expect(invocations).toBeLessThanOrEqual(idleHour.invocations)
  expect(storeRequests).toBeLessThanOrEqual(idleHour.storeRequests)
  // Every count above zero shows that its requests were really counted.
  for (const count of [
    reported,
    listedModels,
    files,
    page.asked,
    machine.opened,
    machine.ended,
    page.opened,
    page.ended,
  ])
    expect(count).toBeGreaterThan(0)
})
