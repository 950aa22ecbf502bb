import * as fc from 'fast-check'
import { runSchedule } from '../../../app/chat/run-schedule.ts'
import { planById } from '../../../domain/billing/plans.ts'
import { maxScheduledPerHour, type ShownSchedule } from '../../../domain/instance/schedules.ts'
import { dayMs, hourMs, iso, minuteMs } from '../../../domain/time.ts'
import { instanceArea } from '../../../lambdas/instance/index.ts'
import { seeded } from '../../counts.ts'
import { type AgentTenant, type AgentWorld, openAgentWorld } from './agent-world.ts'

let world: AgentWorld
let tenant: AgentTenant
beforeAll(async () => {
  world = await openAgentWorld([instanceArea])
})
afterAll(() => world.close())
beforeEach(async () => {
  tenant = await world.tenant()
  await world.ports.wallets.creditOnce(tenant.userId, 'gift', 5_000_000, 'adjustment', 'A gift', iso(world.clock.nowMs))
})

const { most, byAgent, leastMinutes } = planById('starter').schedules
const daily = { cron: '0 8 * * *', text: 'Look the tides up.' }
const inMs = (ms: number) => ({ at: iso(world.clock.nowMs + ms), text: 'Look again.' })

let keys = 0
const make = (asked: object, of = tenant, key = `k${++keys}`) =>
  of.call('/agent/schedules', { body: { key, ...asked } })
const remove = (id: string, of = tenant) => of.call(`/agent/schedules/${id}`, { method: 'DELETE' })
const own = async (of = tenant): Promise<ShownSchedule[]> => (await of.call('/agent/schedules')).body.schedules
const asOwner = (method: 'GET' | 'POST' | 'DELETE', path: string, body?: object, of = tenant) =>
  world.person(method, path, of.userId, body)
const fire = (id: string, of = tenant, dueAt = iso(world.clock.nowMs)) =>
  runSchedule(world.ports as never, { userId: of.userId, scheduleId: id, dueAt }, world.clock.nowMs)
const asked = async (of = tenant) =>
  (await world.ports.conversations.messages(of.userId, { conversation: 'main', after: null, limit: 100 })).items.map(
    ({ text }) => text,
  )

describe('createAgentSchedule', () => {
  it('creates a schedule marked as the agent’s, which its owner sees and which runs as a schedule', async () => {
    const { status, body } = await make(daily)
    expect([status, body.schedule]).toEqual([200, expect.objectContaining({ ...daily, by: 'agent', at: null })])
    const [shown] = (await asOwner('GET', '/instance/schedules')).body.schedules
    expect(shown).toEqual(body.schedule)
    await fire(body.schedule.id)
    const { prompt } = (await tenant.call('/agent/prompt')).body
    expect(prompt).toMatchObject({ trigger: 'schedule', text: daily.text })
    const trail = (await world.ports.audit.list(tenant.userId, { after: null, limit: 10 })).items
    expect(trail).toMatchObject([
      { operation: 'createAgentSchedule', record: body.schedule.id, actor: { kind: 'machine' } },
    ])
  })

  it('runs a one-time schedule once although its event arrives twice, and removes it after its place is freed', async () => {
    const { body } = await make(inMs(20 * minuteMs + 1))
    const { id, at, nextRunAt } = body.schedule
    expect([at, nextRunAt]).toEqual([iso(world.clock.nowMs + 21 * minuteMs), at])
    world.clock.nowMs += 21 * minuteMs
    await fire(id)
    await fire(id, tenant, iso(world.clock.nowMs + 30_000))
    expect(await asked()).toEqual(['Look again.'])
    expect(await own()).toMatchObject([{ id, nextRunAt: null, lastRun: { outcome: 'sent', at } }])
    world.clock.nowMs += leastMinutes * minuteMs
    expect(await own()).toEqual([])
    expect((await asOwner('GET', '/instance/schedules')).body.schedules).toEqual([])
    for (let i = 0; i < byAgent; i++) expect((await make(daily)).status).toBe(200)
  })

  it('keeps the reason for a day when a one-time schedule was skipped', async () => {
    const { body } = await make(inMs(2 * minuteMs))
    const { instances } = world.ports
    const known = await instances.find(tenant.userId)
    if (!known) throw new Error('there is an instance')
    await instances.save(
      { ...known, state: 'paused', desiredState: 'paused', reason: 'user', version: known.version + 1 },
      known,
    )
    world.clock.nowMs += 2 * minuteMs
    await fire(body.schedule.id)
    const listed = async () => (await asOwner('GET', '/instance/schedules')).body.schedules
    expect(await listed()).toMatchObject([{ lastRun: { outcome: 'paused' } }])
    world.clock.nowMs += dayMs - minuteMs
    expect(await listed()).toHaveLength(1)
    world.clock.nowMs += 2 * minuteMs
    expect(await listed()).toEqual([])
    expect(await asked()).toEqual([])
  })

  it('creates one schedule per key, however many concurrent requests there are', async () => {
    const all = await Promise.all(Array.from({ length: 8 }, () => make(daily, tenant, 'the-same')))
    expect(new Set(all.map(({ body }) => body.schedule?.id)).size).toBe(1)
    expect(all.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 200))
    expect(await own()).toHaveLength(1)
    const [{ id } = { id: '' }] = await own()
    expect((await remove(id)).status).toBe(200)
    expect((await make(daily, tenant, 'the-same')).body).toMatchObject({ error: 'conflict' })
  })

  it('leaves part of the plan’s limit to the owner, and is limited by the rest', async () => {
    const made = await Promise.all(Array.from({ length: 12 }, () => make(daily)))
    expect(made.filter(({ status }) => status === 200)).toHaveLength(byAgent)
    expect(made.find(({ status }) => status !== 200)?.body.error).toBe('conflict')
    const people = await Promise.all(Array.from({ length: 12 }, () => asOwner('POST', '/instance/schedules', daily)))
    expect(people.filter(({ status }) => status === 201)).toHaveLength(most - byAgent)
    const [first] = await own()
    expect((await asOwner('DELETE', `/instance/schedules/${first?.id}`)).status).toBe(200)
    expect((await asOwner('POST', '/instance/schedules', daily)).status).toBe(201)
    expect((await make(daily)).status).toBe(409)
    expect(await world.ports.schedules.list(tenant.userId)).toHaveLength(most)
  })

  it.each([
    ['more runs than the plan allows', { cron: '*/30 * * * *', text: 'x' }, 'cron'],
    ['neither a repetition nor a time', { text: 'x' }, 'cron'],
    ['both a repetition and a time', { cron: '0 8 * * *', at: '2026-11-21T12:00:00.000Z', text: 'x' }, 'cron'],
    ['a past time', { at: '2026-11-19T12:00:00.000Z', text: 'x' }, 'at'],
    ['a time years ahead', { at: '2031-11-19T12:00:00.000Z', text: 'x' }, 'at'],
    ['an unknown time zone', { ...daily, timeZone: 'Mars/Base' }, 'timeZone'],
    ['an empty text', { cron: '0 8 * * *', text: ' ' }, 'text'],
    ['a key with a space', { ...daily, key: 'a b' }, 'key'],
  ])('rejects %s', async (_, wrong, field) => {
    const { status, body } = await make(wrong)
    expect([status, Object.keys(body.details)]).toEqual([400, [field]])
    expect(await own()).toEqual([])
  })

  it('is rate-limited per hour', async () => {
    for (let i = 0; i < maxScheduledPerHour; i++) {
      world.clock.nowMs += 20_000
      const { body } = await make(daily)
      await remove(body.schedule.id)
    }
    expect(await make(daily)).toMatchObject({ status: 429, body: { error: 'rate-limited' } })
    world.clock.nowMs += hourMs
    expect((await make(daily)).status).toBe(200)
  })

  it('is refused for a suspended wallet, a deleted instance and an ended machine', async () => {
    await world.ports.wallets.freeze(tenant.userId, 'a dispute', world.clock.nowMs)
    expect(await make(daily)).toMatchObject({ status: 402, body: { error: 'wallet-suspended' } })
    const deleted = await world.tenant()
    const { instances } = world.ports
    const known = await instances.find(deleted.userId)
    if (!known) throw new Error('there is an instance')
    await instances.save({ ...known, desiredState: 'deleted', version: known.version + 1 }, known)
    expect((await make(daily, deleted)).status).toBeGreaterThan(400)
    const over = await world.tenant()
    const { generation } = over.instance
    await over.nextGeneration()
    const body = { key: 'late', ...daily }
    expect((await over.call('/agent/schedules', { body, generation })).status).toBe(401)
    for (const audience of ['llm', 'files'] as const)
      expect((await over.call('/agent/schedules', { body, audience })).status).toBe(401)
    for (const each of [tenant, deleted, over]) expect(await world.ports.schedules.list(each.userId)).toEqual([])
  })
})

describe('listAgentSchedules', () => {
  it('lists the agent’s own schedules, and neither its owner’s nor another agent’s', async () => {
    const other = await world.tenant()
    await make(daily, other)
    await asOwner('POST', '/instance/schedules', daily)
    const { body } = await make(inMs(hourMs))
    expect((await own()).map(({ id }) => id)).toEqual([body.schedule.id])
  })
})

describe('deleteAgentSchedule', () => {
  it('deletes the agent’s own schedules, and neither its owner’s nor another agent’s', async () => {
    const other = await world.tenant()
    const theirs = (await make(daily, other)).body.schedule.id
    const owners = (await asOwner('POST', '/instance/schedules', daily)).body.schedule.id
    const mine = (await make(daily)).body.schedule.id
    for (const [id, status] of [
      [theirs, 404],
      [owners, 404],
      [mine, 200],
      [mine, 404],
    ] as const)
      expect([id, (await remove(id)).status]).toEqual([id, status])
    expect(await own(other)).toHaveLength(1)
    expect((await asOwner('GET', '/instance/schedules')).body.schedules).toHaveLength(1)
  })

  it('keeps the place of a schedule that ran a moment ago', async () => {
    const { id } = (await make(daily)).body.schedule
    await fire(id)
    expect((await remove(id)).status).toBe(409)
    world.clock.nowMs += leastMinutes * minuteMs
    expect((await remove(id)).status).toBe(200)
  })
})

test('an agent that creates and deletes schedules runs no more often than its part of the plan allows', async () => {
  const step = fc.oneof(
    fc.record({ do: fc.constant('once' as const), minutes: fc.integer({ min: 1, max: 90 }) }),
    fc.record({ do: fc.constant('daily' as const), minute: fc.integer({ min: 0, max: 59 }) }),
    fc.record({ do: fc.constant('delete' as const), which: fc.nat(3) }),
    fc.record({ do: fc.constant('wait' as const), minutes: fc.integer({ min: 1, max: 40 }) }),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
      const of = await world.tenant()
      await world.ports.wallets.creditOnce(of.userId, 'gift', 5_000_000, 'adjustment', 'x', iso(world.clock.nowMs))
      const firedMs: number[] = []
      for (const step of steps) {
        const now = new Date(world.clock.nowMs)
        if (step.do === 'once') await make({ ...inMs(step.minutes * minuteMs + 1_000) }, of)
        if (step.do === 'daily')
          await make({ ...daily, cron: `${step.minute} ${(now.getUTCHours() + 1) % 24} * * *` }, of)
        if (step.do === 'delete') await remove((await own(of)).at(step.which)?.id ?? 'sch_none', of)
        const listed = await own(of)
        expect(listed.length).toBeLessThanOrEqual(byAgent)
        const untilMs = world.clock.nowMs + (step.do === 'wait' ? step.minutes * minuteMs : 0)
        const due = listed
          .map(({ id, nextRunAt }) => ({ id, ms: Date.parse(nextRunAt ?? '9999-01-01') }))
          .filter(({ ms }) => ms <= untilMs)
          .sort((a, b) => a.ms - b.ms)
        for (const { id, ms } of due) {
          world.clock.nowMs = ms
          await fire(id, of)
          firedMs.push(ms)
        }
        world.clock.nowMs = untilMs
      }
      expect(await asked(of)).toHaveLength(firedMs.length)
      for (const from of firedMs) {
        const inWindow = firedMs.filter((ms) => ms >= from && ms < from + leastMinutes * minuteMs)
        expect(inWindow.length).toBeLessThanOrEqual(byAgent)
      }
    }),
    seeded(25, 4),
  )
})
