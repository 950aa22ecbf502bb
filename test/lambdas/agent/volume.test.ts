import { addPoint, newPoint, prunePoints } from '../../../app/files/restore-points.ts'
import { ulid } from '../../../domain/ids.ts'
import { showInstance } from '../../../domain/instance/explain.ts'
import { isOverPlan } from '../../../domain/instance/volume-limit.ts'
import { hourMs, iso } from '../../../domain/time.ts'
import { type AgentTenant, type AgentWorld, openAgentWorld } from './agent-world.ts'

let world: AgentWorld
beforeAll(async () => {
  world = await openAgentWorld()
})
afterAll(() => world.close())

const gib = 1024 ** 3
const held = (diskBytes: number) => ({
  cpuPercent: 1,
  memoryBytes: 1,
  memoryLimitBytes: 2,
  diskBytes: Math.round(diskBytes),
  uptimeSeconds: 60,
})
const beat = async (who: AgentTenant, gibibytes: number) => {
  const body = { kind: 'heartbeat', busy: false, measured: held(gibibytes * gib) }
  expect((await who.call('/agent/observe', { body })).status).toBe(200)
}

/** A tenant and the e-mails to its owner. */
async function reachable() {
  const who = await world.tenant()
  const email = `${who.userId.toLowerCase()}@example.com`
  const told = async () => ({
    mails: world.cloud.cloud.mails(email).length,
    events: (await who.events()).filter(({ type }) => type === 'instance.volume_full').map(({ data }) => data),
  })
  const explanation = async () => {
    const record = await world.ports.instances.find(who.userId)
    return record ? showInstance(record).explanation : ''
  }
  return { who, told, explanation }
}

describe('a volume above its plan’s size', () => {
  test('sends only an event to a user who switched off e-mails about the machine', async () => {
    const { who, told } = await reachable()
    await world.ports.users.setMuted(who.userId, ['mail.machine'], [])
    await beat(who, 5.5)
    expect(await told()).toMatchObject({ mails: 0, events: [{}] })
  })

  test('is reported once by e-mail and event, and in the explanation until it fits again', async () => {
    const { who, told, explanation } = await reachable()
    await beat(who, 5)
    expect(await told()).toEqual({ mails: 0, events: [] })
    await beat(who, 5.5)
    await beat(who, 6)
    const first = { diskBytes: 5.5 * gib, storageGiB: 5 }
    expect(await told()).toEqual({ mails: 1, events: [first] })
    expect(await explanation()).toMatch(/volume holds more than the plan’s 5 GiB/)
    await beat(who, 4.9)
    expect(await explanation()).toMatch(/volume/)
    await beat(who, 4)
    expect(await explanation()).not.toMatch(/volume/)
    expect((await who.events()).at(-1)).toMatchObject({ type: 'instance.changed', data: { fitsPlan: true } })
    await beat(who, 7)
    expect((await told()).mails).toBe(2)
  })

  test('is reported once by two concurrent heartbeats', async () => {
    const { who, told } = await reachable()
    await Promise.all([beat(who, 6), beat(who, 6), beat(who, 6)])
    expect(await told()).toMatchObject({ mails: 1, events: [{ storageGiB: 5 }] })
  })

  test('is paused three days later, but not within an hour of its start, and keeps its files', async () => {
    const { who, explanation } = await reachable()
    await beat(who, 6)
    const ago = async (sinceHours: number, startedHours: number) => {
      const record = await world.ports.instances.find(who.userId)
      if (!record) throw new Error('no instance')
      const at = (hours: number) => iso(world.clock.nowMs - hours * 3_600_000)
      const since = { overPlanSince: at(sinceHours), startedAt: at(startedHours) }
      const next = { ...record, ...since, state: 'running' as const, version: record.version + 1 }
      expect(await world.ports.instances.save(next, record)).toBe(true)
    }
    const state = async () => (await world.ports.instances.find(who.userId))?.state
    for (const [since, started] of [
      [71.9, 100],
      [100, 0.9],
    ] as const) {
      await ago(since, started)
      await beat(who, 6)
      expect(await state()).toBe('running')
    }
    await ago(72, 1)
    await beat(who, 4.9)
    expect(await state()).toBe('pausing')
    expect(await explanation()).toMatch(/has not fitted into the plan for three days/)
    const told = { 'detail-type': 'instance.wanted', detail: { userId: who.userId } }
    expect(world.cloud.events).toContainEqual(expect.objectContaining(told))
    const { data } = (await who.events()).findLast(({ type }) => type === 'instance.state_changed') ?? {}
    expect(data).toMatchObject({ desiredState: 'paused', reason: 'volume' })
  })

  test('keeps running when it fits by then', async () => {
    const { who, explanation } = await reachable()
    await beat(who, 6)
    await beat(who, 4)
    expect((await world.ports.instances.find(who.userId))?.overPlanSince).toBeNull()
    expect(await explanation()).not.toMatch(/volume/)
  })

  test('is compared with its own plan', () => {
    expect(isOverPlan({ plan: 'pro', overPlanSince: null }, 6 * gib)).toBe(false)
    expect(isOverPlan({ plan: 'pro', overPlanSince: null }, 25 * gib + 1)).toBe(true)
    expect(isOverPlan({ plan: 'starter', overPlanSince: '2026-11-21T00:00:00.000Z' }, 4.5 * gib + 1)).toBe(true)
    expect(isOverPlan({ plan: 'starter', overPlanSince: '2026-11-21T00:00:00.000Z' }, 4.5 * gib)).toBe(false)
  })
})

test('a restore point requested for a restore survives the one made before the restore', async () => {
  const who = await world.tenant()
  const { restorePoints, tasks } = world.ports
  const made = []
  for (let hours = 10; hours > 0; hours--) {
    const atMs = world.clock.nowMs - hours * hourMs
    const point = newPoint(world.ports, who.instance, 'daily', atMs)
    await addPoint(world.ports, who.userId, point, atMs)
    await tasks.cancel(who.userId, point.taskId)
    const done = { state: 'ready', completedAt: iso(atMs), summary: null, newBytes: 0, failure: null } as const
    await restorePoints.finish(who.userId, point.id, done)
    made.push(point.id)
  }
  const [oldest = '', second = ''] = made
  await tasks.add(who.userId, world.nextId('tsk'), { kind: 'restore', pointId: oldest, path: null }, world.clock.nowMs)
  // The points' lists of pieces were never stored. Pruning finds that out after it removed the expired points.
  await expect(prunePoints(world.ports, who.userId, who.instance.id, world.clock.nowMs)).rejects.toThrow(
    'lacks its list',
  )
  const left = (await restorePoints.list(who.userId)).map(({ id }) => id)
  expect(left).toContain(oldest)
  expect(left).not.toContain(second)
})

describe('the daily restore point', () => {
  const _ids = {
    next: (prefix: string) => `${prefix}_${ulid(world.clock.nowMs++, new Uint8Array(16))}`,
    random: () => '',
  }
  const remind = async (who: AgentTenant) => {
    expect((await who.call('/agent/observe', { body: { kind: 'restore-point' } })).status).toBe(200)
    return (await world.ports.restorePoints.list(who.userId)).map(({ reason, state }) => [reason, state])
  }

  test('is requested from the machine once a day, however often it reminds', async () => {
    const who = await world.tenant()
    expect(await remind(who)).toEqual([['daily', 'making']])
    expect((await who.call('/agent/prompt?tasks=only')).body.task).toMatchObject({ job: { kind: 'snapshot' } })
    expect(await remind(who)).toHaveLength(1)
  })

  test.each([
    [19, 1],
    [21, 2],
  ])('when the newest is %i hours old: %i in all', async (hours, count) => {
    const who = await world.tenant()
    const atMs = world.clock.nowMs - hours * hourMs
    const point = newPoint(world.ports, who.instance, 'demand', atMs)
    await addPoint(world.ports, who.userId, point, atMs)
    const done = { state: 'ready', completedAt: iso(atMs), summary: null, newBytes: 0, failure: null } as const
    await world.ports.restorePoints.finish(who.userId, point.id, done)
    expect(await remind(who)).toHaveLength(count)
  })

  test('is requested again after the last one failed', async () => {
    const who = await world.tenant()
    await remind(who)
    const taskId = (await who.call('/agent/prompt?tasks=only')).body.task?.id
    const failure = { code: 'internal', message: 'The disk is full.' }
    expect((await who.call('/agent/observe', { body: { kind: 'task', taskId, failure } })).status).toBe(200)
    expect(await remind(who)).toEqual([
      ['daily', 'making'],
      ['daily', 'failed'],
    ])
  })
})

describe('a machine’s report about its volume', () => {
  test('after a restore marks a change: no older point matches the volume', async () => {
    const who = await world.tenant()
    const taskId = `tsk_${'7'.repeat(26)}`
    const job = { kind: 'restore' as const, pointId: `rsp_${'7'.repeat(26)}`, path: 'a' }
    await world.ports.tasks.add(who.userId, taskId, job, world.clock.nowMs)
    await who.call('/agent/prompt?tasks=only')
    world.clock.nowMs += 5_000
    const before = (await world.ports.instances.find(who.userId))?.lastActivityAt ?? ''
    const result = { kind: 'restore', files: 1, bytes: 1 }
    expect((await who.call('/agent/observe', { body: { kind: 'task', taskId, result } })).status).toBe(200)
    expect((await world.ports.instances.find(who.userId))?.lastActivityAt).not.toBe(before)
  })

  test('as empty counts only from an eraser', async () => {
    const who = await world.tenant()
    expect((await who.call('/agent/observe', { body: { kind: 'volume-erased' } })).status).toBe(200)
    expect((await world.ports.instances.find(who.userId))?.volumeErased).toBe(false)
  })
})
