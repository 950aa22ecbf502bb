import * as z from 'zod'
import type { Wallets } from '../../../app/ports/wallet.ts'
import type { Audience } from '../../../domain/actor.ts'
import { type InstanceRecord, liveGeneration } from '../../../domain/instance/instance.ts'
import { newInstance, transition } from '../../../domain/instance/life-cycle.ts'
import type { InstanceEvent } from '../../../domain/instance/transitions.ts'
import { iso } from '../../../domain/time.ts'
import { newClaims } from '../../../domain/tokens/machine-token.ts'
import { operation } from '../../../lambdas/kit/operation.ts'
import { cases, most } from '../../counts.ts'
import { openWorld, type World } from '../../world.ts'

let world: World
let money: Wallets
let clients: Record<'files' | 'agent', ReturnType<World['client']>[]>

const machineRead = <A extends Audience>(auth: A) =>
  operation({
    id: 'getThing',
    summary: 'A thing',
    http: { method: 'GET', path: '/thing' },
    auth,
    limit: 'agent',
    input: z.strictObject({}),
    output: z.object({}),
    errors: [],
    uses: {},
    run: async () => ({}),
  })

beforeAll(async () => {
  world = await openWorld()
  money = world.ports.wallets
  // Each function of an area remembers its own refusals.
  const twice = (auth: Audience) => [world.client([machineRead(auth)]), world.client([machineRead(auth)])]
  clients = { files: twice('files'), agent: twice('agent') }
})
afterAll(() => world.close())

/** A use of a generation's token: its start and its result. */
interface Use {
  began: number
  audience: Audience
  generation: number
  accepted: boolean
}

/** The events that drive an instance, as often as they happen. */
const verbs: InstanceEvent[] = [
  'refresh',
  'machine-stopped',
  'machine-stopped',
  'machine-running',
  'machine-running',
  'pause',
  'resume',
  'wake',
  'suspend',
]

const seen = { ended: 0, accepted: 0, refused: 0 }
const seeds = Array.from({ length: cases(most(400, 120)) }, (_, i) => i + 1)

test.each(seeds)('history %i: no token of a generation is accepted after its end was written', async (seed) => {
  let state = seed * 2_654_435_761
  const pick = (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state % below
  }
  let order = 0
  const userId = world.newUserId()
  const instanceId = userId.replace('usr', 'ins')
  const { nowMs } = world.clock
  const { instances, machineTokens } = world.ports
  await money.open(userId)
  await money.creditOnce(userId, 'once', 1_000_000, 'adjustment', 'test', iso(nowMs))
  const first = newInstance({ instanceId, userId }, 'starter', '1', nowMs)
  await instances.create({ ...first, state: 'running' })
  let newest = 1
  const ended: { generation: number; at: number }[] = []
  const uses: Use[] = []

  const ask = async (audience: Audience, generation: number): Promise<boolean> => {
    if (audience === 'llm') {
      const callId = `call_${pick(2 ** 30)}`
      const held = await money.hold(userId, callId, { boundMicros: 10, minimumMicros: 1, generation }, nowMs)
      if (held.held) await money.void(userId, callId)
      return held.held
    }
    const token = await machineTokens.sign(newClaims({ userId, instanceId, generation, audience }, nowMs))
    const { status } = (await clients[audience][pick(2)]?.({ headers: { Authorization: `Bearer ${token}` } })) ?? {}
    expect([200, 401]).toContain(status)
    return status === 200
  }
  const worker = async () => {
    for (let i = 0; i < 8; i++) {
      const [began, generation] = [++order, Math.max(1, newest - pick(3))]
      const audience = (['llm', 'files', 'agent'] as const)[pick(3)] ?? 'llm'
      uses.push({ began, audience, generation, accepted: await ask(audience, generation) })
    }
  }
  const step = (record: InstanceRecord): InstanceRecord | null => {
    try {
      const { next, changed } = transition(record, verbs[pick(verbs.length)] ?? 'refresh', 'user', nowMs)
      return changed ? next : null
    } catch {
      return null // The event contradicts the current operation.
    }
  }
  const driver = async () => {
    for (let i = 0; i < 12; i++) {
      const record = await instances.find(userId)
      const next = record && step(record)
      if (!next || !(await instances.save(next, record))) continue
      const [before, after] = [liveGeneration(record), liveGeneration(next)]
      newest = Math.max(newest, next.generation)
      if (before !== after && before > 0) ended.push({ generation: before, at: ++order })
    }
  }
  await Promise.all([worker(), worker(), worker(), driver(), driver()])

  const late = uses.filter((use) =>
    ended.some(({ generation, at }) => use.accepted && use.generation === generation && use.began > at),
  )
  expect(late).toEqual([])
  seen.ended += ended.length
  for (const { accepted } of uses) seen[accepted ? 'accepted' : 'refused']++
  const last = await instances.find(userId)
  const live = last ? liveGeneration(last) : 0
  for (const generation of new Set([...ended.map((machine) => machine.generation), newest]))
    for (const audience of ['llm', 'files', 'agent'] as const)
      expect([generation, audience, await ask(audience, generation)]).toEqual([
        generation,
        audience,
        generation === live,
      ])
})

test('the histories contain many ends, accepted and refused uses', () => {
  expect(seen.ended).toBeGreaterThan(2 * seeds.length)
  expect(Math.min(seen.accepted, seen.refused)).toBeGreaterThan(4 * seeds.length)
})
