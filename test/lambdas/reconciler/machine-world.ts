import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import type { Ports } from '../../../adapters/ports.ts'
import { changeInstance } from '../../../app/instance/change.ts'
import { readStartedBy } from '../../../app/instance/ecs-task.ts'
import { ulid } from '../../../domain/ids.ts'
import type { InstanceRecord, Reason } from '../../../domain/instance/instance.ts'
import type { InstanceEvent } from '../../../domain/instance/transitions.ts'
import type { Scope } from '../../../domain/scopes.ts'
import type { CloudEvent } from '../../../emulators/aws/emulator.ts'
import { billingArea } from '../../../lambdas/billing/index.ts'
import { jobHandler } from '../../../lambdas/kit/job-handler.ts'
import { reconcilerArea } from '../../../lambdas/reconciler/index.ts'
import { scheduleRunnerArea } from '../../../lambdas/schedule-runner/index.ts'
import { stripeWebhookArea } from '../../../lambdas/stripe-webhook/index.ts'
import { sweeperArea } from '../../../lambdas/sweeper/index.ts'
import { agent } from '../../cloud.ts'
import { until } from '../../until.ts'
import { openWorld } from '../../world.ts'

const ending = z.looseObject({ startedBy: z.string().optional(), lastStatus: z.string().optional() })
const usual = { deaf: false, agentMode: '', image: '1', erases: true }

/** The billing and reconciler areas over the local cloud, with processes as machines and events that start the jobs. */
export async function openMachineWorld(change: (ports: Ports) => Partial<Ports> = () => ({})) {
  /** Faults: lost events, misbehaving machines, another image for the stage, and volumes that are never erased. */
  const faults = { ...usual }
  const working = new Set<Promise<unknown>>()
  const failures: unknown[] = []
  const published: CloudEvent[] = []
  const sweeping: Promise<unknown>[] = []
  /** The calls of ECS, by action. */
  const ecsCalls: string[] = []

  const world = await openWorld({
    areas: [billingArea, stripeWebhookArea, reconcilerArea, scheduleRunnerArea, sweeperArea],
    ports: [
      'conversations',
      'events',
      'mail',
      'rates',
      'rollouts',
      'runs',
      'schedules',
      'storage',
      'tasks',
      'timers',
      'trials',
    ],
    clock: 'running',
    cloud: {
      taskCommand: ({ command = [] }) => ({
        file: process.execPath,
        args: [agent, faults.agentMode, ...command],
        cwd: import.meta.dirname,
      }),
      onCall: (service, action) => service === 'ecs' && ecsCalls.push(action),
      onEvent: (event) => {
        published.push(event)
        // A sweep is what finds lost events.
        if (event['detail-type'] === 'shard.due') sweeping.push(deliver(event))
        else if (!faults.deaf) void deliver(event)
      },
    },
    replace: (ports) => ({
      settings: {
        ...ports.settings,
        get imageVersion() {
          return faults.image
        },
      },
      ...change(ports),
    }),
  })
  const { ports, cloud, clock } = world
  const jobs = [reconcilerArea, scheduleRunnerArea, sweeperArea].map((area) => jobHandler(area, ports))

  /** Gives the functions of machines an event like EventBridge does, and records failures. */
  function deliver(event: Parameters<ReturnType<typeof jobHandler>>[0]): Promise<unknown> {
    const reported = 'detail' in event ? reportErased(event.detail) : Promise.resolve()
    const work = reported
      .then(() => Promise.all(jobs.map((run) => run(event))))
      .catch((error: unknown) => failures.push(error))
    working.add(work)
    return work.finally(() => working.delete(work))
  }

  const folderOf = (instanceId: string) =>
    join(cloud.stateFolder, 'volumes', world.env.variable('FILE_SYSTEM_ID'), instanceId)

  /** An eraser's report at its end, made here because this world has no service for it to call. */
  async function reportErased(detail: unknown): Promise<void> {
    const { startedBy, lastStatus } = ending.parse(detail)
    const owner = lastStatus === 'STOPPED' && readStartedBy(startedBy)
    const record = owner ? await ports.instances.find(owner.userId) : null
    if (!owner || record?.state !== 'erasing' || !faults.erases) return
    if (readdirSync(folderOf(record.id)).length === 0) await ports.instances.markErased(owner.userId, owner.generation)
  }

  /** Resolves when the reconciler has no work left. */
  async function idle(): Promise<void> {
    while (working.size > 0) await Promise.all(working)
  }

  async function request(path: string, text: string, headers: Record<string, string>) {
    const json = { 'Content-Type': 'application/json', ...headers }
    const { status, body } = await world.request({ method: 'POST', path, body: text, headers: json })
    return { status, body }
  }

  /** A new user with a token of the default scopes. */
  async function user() {
    const id = world.newUserId()
    const { user: made } = await ports.users.findOrCreate(`${id.toLowerCase()}@example.com`, id, clock.nowMs)
    await ports.wallets.open(id)
    const mint = async (scopes: Scope[]) => (await world.bearer(scopes, id)).plaintext
    const token = await mint(['mcp:*'])
    const instance = () => ports.instances.find(id)
    return {
      ...made,
      mint,
      instance,
      post: (path: string, body: object, bearer = token) =>
        request(path, JSON.stringify(body), { authorization: `Bearer ${bearer}` }),
      ask: (event: InstanceEvent, reason: Reason = 'user') => changeInstance(ports, id, event, reason, clock.nowMs),
      /** Waits until the instance is in a state (of a generation, if given). */
      reaches: (state: InstanceRecord['state'], generation?: number) =>
        until(async () => {
          const record = await instance()
          return record?.state === state && (generation ?? record.generation) === record.generation && record
        }),
      /** The record that a generation's machine wrote to its volume. */
      machine: async (generation: number): Promise<Machine> => {
        const { id: instanceId = '' } = (await instance()) ?? {}
        const file = join(folderOf(instanceId), 'seen.json')
        return until(async () => {
          const seen: Machine | false = existsSync(file) && parse(readFileSync(file, 'utf8'))
          if (!seen) return false
          const claims = await ports.machineTokens.verify(seen.env.BERTH_AGENT_TOKEN ?? '', 'agent', clock.nowMs)
          return claims?.generation === generation && seen
        })
      },
      events: async () =>
        (await ports.events.after(id, `evt_${ulid(0, new Uint8Array(16))}`, 100)).map(({ type, data }) => ({
          type,
          data,
        })),
    }
  }

  return {
    ...world,
    faults,
    folderOf,
    failures,
    published,
    ecsCalls,
    request,
    user,
    deliver,
    async sweep() {
      await deliver({ job: 'sweep' })
      await Promise.all(sweeping.splice(0))
    },
    idle,
    /** After a test: waits for open work, requires that nothing failed, and removes all faults. */
    async settle() {
      await idle()
      Object.assign(faults, usual)
      clock.nowMs = Date.now()
      expect(failures.splice(0)).toEqual([])
    },
    async close() {
      faults.deaf = true
      await idle()
      await world.close()
    },
  }
}

interface Machine {
  env: Record<string, string>
  pid: number
}

/** False while the file is being written. */
function parse(text: string): Machine | false {
  try {
    return JSON.parse(text)
  } catch {
    return false
  }
}

export type MachineWorld = Awaited<ReturnType<typeof openMachineWorld>>
export type User = Awaited<ReturnType<MachineWorld['user']>>
