import { GetScheduleCommand, ResourceNotFoundException, SchedulerClient } from '@aws-sdk/client-scheduler'
import { runSchedule } from '../../../app/chat/run-schedule.ts'
import { syncTimer } from '../../../app/instance/schedules.ts'
import { instanceArea } from '../../../lambdas/instance/index.ts'
import { openWorld, type Tenant, type World } from '../../world.ts'

let world: World
let tenant: Tenant
beforeAll(async () => {
  world = await openWorld({ areas: [instanceArea], ports: ['conversations'] })
})
afterAll(() => world.close())
beforeEach(async () => {
  tenant = await world.tenant({ plan: 'pro' })
})

const call = async (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: object, of = tenant) =>
  world.request({ method, path, headers: (await world.session(of.userId)).headers, ...(body && { body }) })
const morning = { cron: '0 8 * * *', timeZone: 'Europe/Berlin', text: 'Morning brief' }
const made = async (asked: object = morning): Promise<string> =>
  (await call('POST', '/instance/schedules', asked)).body.schedule.id
const listed = async () => (await call('GET', '/instance/schedules')).body.schedules
/** The schedule's timer in EventBridge Scheduler; null without one. */
const timerOf = async (id: string) => {
  const request = new GetScheduleCommand({ Name: id, GroupName: 'berth-test' })
  return new SchedulerClient({}).send(request).catch((thrown) => {
    if (thrown instanceof ResourceNotFoundException) return undefined
    throw thrown
  })
}

describe('the timer of a schedule', () => {
  test('stores an event that it could not deliver', async () => {
    const target = (await timerOf(await made()))?.Target
    expect(target?.DeadLetterConfig?.Arn).toBe(world.env.variable('SCHEDULES_DEAD_LETTERS'))
  })
})

describe('the window of a schedule', () => {
  const windowOf = async (asked: object) => {
    const { status, body } = await call('POST', '/instance/schedules', { text: 'x', ...asked })
    expect(status).toBe(201)
    const { id, exact, windowMinutes } = body.schedule
    return [exact, windowMinutes, (await timerOf(id))?.FlexibleTimeWindow]
  }
  const flexible = (MaximumWindowInMinutes: number) => ({ Mode: 'FLEXIBLE', MaximumWindowInMinutes })

  test('is ten minutes, or half the time between two runs, unless the schedule is exact', async () => {
    expect(await windowOf({ cron: '0 8 * * *' })).toEqual([false, 10, flexible(10)])
    expect(await windowOf({ at: '2027-03-01T10:00:00.000Z' })).toEqual([false, 10, flexible(10)])
    expect(await windowOf({ cron: '*/5 * * * *' })).toEqual([false, 2, flexible(2)])
    expect(await windowOf({ cron: '0 8 * * *', exact: true })).toEqual([true, 0, { Mode: 'OFF' }])
  })

  test('may be none for three schedules of a user, whether new or changed', async () => {
    const exact = { ...morning, exact: true }
    const [first = ''] = [await made(exact), await made(exact), await made(exact)]
    const refused = { error: 'conflict', message: expect.stringContaining('At most 3 schedules') }
    expect(await call('POST', '/instance/schedules', exact)).toMatchObject({ status: 409, body: refused })
    const loose = await made()
    const change = async (id: string, body: object) => call('PATCH', `/instance/schedules/${id}`, body)
    expect(await change(loose, { exact: true })).toMatchObject({ status: 409, body: refused })
    expect(await change(first, { exact: true, text: 'again' })).toMatchObject({ status: 200 })
    expect(await change(first, { exact: false })).toMatchObject({ status: 200 })
    expect((await timerOf(first))?.FlexibleTimeWindow).toEqual(flexible(10))
    expect(await change(loose, { exact: true })).toMatchObject({ status: 200 })
    expect((await timerOf(loose))?.FlexibleTimeWindow).toEqual({ Mode: 'OFF' })
  })
})

describe('the time zone of a schedule', () => {
  test('is stored and set by the scheduler’s name for it', async () => {
    const { status, body } = await call('POST', '/instance/schedules', { ...morning, timeZone: 'europe/berlin' })
    expect([status, body.schedule.timeZone]).toEqual([201, 'Europe/Berlin'])
    const { id } = body.schedule
    expect((await timerOf(id))?.ScheduleExpressionTimezone).toBe('Europe/Berlin')
    await call('PATCH', `/instance/schedules/${id}`, { timeZone: 'asia/calcutta' })
    expect((await timerOf(id))?.ScheduleExpressionTimezone).toBe('Asia/Kolkata')
  })

  test.each(['PST', 'CST', '+02:00', 'SystemV/EST5'])(
    '%s is rejected with a hint, also with a single time',
    async (timeZone) => {
      const once = { at: '2027-03-01T10:00:00.000Z', text: 'x' }
      for (const asked of [morning, once]) {
        const { status, body } = await call('POST', '/instance/schedules', { ...asked, timeZone })
        expect([status, body.details]).toEqual([400, { timeZone: [expect.stringMatching(/use (a|the) name/)] }])
      }
      expect(await listed()).toEqual([])
    },
  )

  test.each([
    ['PST', 'America/Los_Angeles'],
    ['europe/berlin', 'Europe/Berlin'],
  ])('that was stored as %s still works as %s, also when the times change', async (stored, known) => {
    const id = await made()
    const schedule = await world.ports.schedules.find(tenant.userId, id)
    if (!schedule) throw new Error('there is no schedule')
    await world.ports.schedules.update(tenant.userId, { ...schedule, timeZone: stored })
    const { status } = await call('PATCH', `/instance/schedules/${id}`, { cron: '30 9 * * 1' })
    expect([status, (await timerOf(id))?.ScheduleExpressionTimezone]).toEqual([200, known])
    expect(await listed()).toMatchObject([{ timeZone: stored, nextRunAt: expect.any(String) }])
  })
})

describe('updateSchedule', () => {
  test('changes the given fields and the timer, and nothing else', async () => {
    const id = await made()
    const { status, body } = await call('PATCH', `/instance/schedules/${id}`, { cron: '30 9 * * 1' })
    expect([status, body.schedule]).toEqual([
      200,
      expect.objectContaining({ ...morning, cron: '30 9 * * 1', paused: false }),
    ])
    expect((await timerOf(id))?.ScheduleExpression).toBe('cron(30 9 ? * MON *)')
    expect((await timerOf(id))?.ScheduleExpressionTimezone).toBe('Europe/Berlin')
    await call('PATCH', `/instance/schedules/${id}`, { text: 'Evening brief', timeZone: 'UTC' })
    expect(await listed()).toMatchObject([{ text: 'Evening brief', cron: '30 9 * * 1', timeZone: 'UTC' }])
    expect((await timerOf(id))?.ScheduleExpressionTimezone).toBe('UTC')
  })

  test('turns a repeating schedule into a one-time one, and back', async () => {
    const id = await made()
    const at = '2027-03-01T10:00:00.000Z'
    expect((await call('PATCH', `/instance/schedules/${id}`, { at })).body.schedule).toMatchObject({
      at,
      nextRunAt: at,
    })
    expect((await timerOf(id))?.ScheduleExpression).toBe('at(2027-03-01T10:00:00)')
    await call('PATCH', `/instance/schedules/${id}`, { cron: '0 7 * * *' })
    expect(await listed()).toMatchObject([{ at: null, cron: '0 7 * * *', timeZone: 'UTC' }])
    expect(await timerOf(id)).toMatchObject({ ScheduleExpression: 'cron(0 7 * * ? *)', ActionAfterCompletion: 'NONE' })
  })

  test('removes the timer of a paused schedule, whose late event prompts nothing', async () => {
    const id = await made()
    expect((await call('PATCH', `/instance/schedules/${id}`, { paused: true })).body.schedule).toMatchObject({
      paused: true,
      nextRunAt: null,
    })
    expect(await timerOf(id)).toBeUndefined()
    const due = { userId: tenant.userId, scheduleId: id, dueAt: '2026-12-01T08:00:00Z' }
    await runSchedule(world.ports, due, Date.parse(due.dueAt))
    expect(await listed()).toMatchObject([{ paused: true, runs: [] }])
    await call('PATCH', `/instance/schedules/${id}`, { paused: false })
    expect((await timerOf(id))?.ScheduleExpression).toBe('cron(0 8 * * ? *)')
  })

  test('leaves the timer of the last change, when another change happens between the read and the timer', async () => {
    const id = await made()
    const { schedules, timers } = world.ports
    const found = await schedules.find(tenant.userId, id)
    if (!found) throw new Error('it is gone')
    let overtaken = false
    const slow: typeof timers = {
      ...timers,
      async set(userId, known) {
        if (!overtaken) {
          overtaken = true
          await call('PATCH', `/instance/schedules/${id}`, { cron: '0 21 * * *' })
        }
        await timers.set(userId, known)
      },
    }
    await syncTimer({ schedules, timers: slow }, tenant.userId, id)
    expect((await timerOf(id))?.ScheduleExpression).toBe('cron(0 21 * * ? *)')
  })

  test.each([
    ['more runs than the plan allows', { cron: '* * * * *' }, 'cron'],
    ['both kinds of time', { cron: '0 8 * * *', at: '2027-03-01T10:00:00.000Z' }, 'cron'],
    ['an unknown time zone', { timeZone: 'Mars/Base' }, 'timeZone'],
    ['a past time', { at: '2020-03-01T10:00:00.000Z' }, 'at'],
    ['an empty text', { text: ' ' }, 'text'],
  ])('rejects %s, and changes nothing', async (_, wrong, field) => {
    const id = await made()
    const { status, body } = await call('PATCH', `/instance/schedules/${id}`, wrong)
    expect([status, Object.keys(body.details)]).toEqual([400, [field]])
    expect(await listed()).toMatchObject([morning])
  })

  test('finds only the user’s own schedules', async () => {
    const id = await made()
    const other = await world.tenant({})
    expect((await call('PATCH', `/instance/schedules/${id}`, { text: 'mine now' }, other)).status).toBe(404)
    expect(await listed()).toMatchObject([morning])
  })
})

describe('runSchedule', () => {
  beforeEach(() =>
    world.ports.wallets.creditOnce(tenant.userId, 'gift', 5_000_000, 'adjustment', 'Gift', '2026-11-20T12:00:00.000Z'),
  )

  test('requires a wallet that can pay, and prompts nothing otherwise', async () => {
    tenant = await world.tenant({ plan: 'pro' })
    const id = await made()
    expect((await call('POST', `/instance/schedules/${id}/runs`, {})).status).toBe(402)
    expect(await listed()).toMatchObject([{ runs: [] }])
  })

  test('prompts at once, and the run is listed with its message', async () => {
    const id = await made()
    const { status, body } = await call('POST', `/instance/schedules/${id}/runs`, {})
    expect([status, body.run]).toEqual([202, expect.objectContaining({ outcome: 'sent' })])
    const { items } = await world.ports.conversations.messages(tenant.userId, {
      conversation: 'main',
      after: null,
      limit: 10,
    })
    expect(items).toMatchObject([{ id: body.run.messageId, text: 'Morning brief', role: 'user' }])
    expect(await listed()).toMatchObject([{ runs: [body.run], lastRun: body.run }])
  })

  test('keeps the time of a one-time schedule', async () => {
    const at = '2027-03-01T10:00:00.000Z'
    const id = await made({ at, text: 'Remind me' })
    await call('POST', `/instance/schedules/${id}/runs`, {})
    expect(await listed()).toMatchObject([{ nextRunAt: at, lastRun: { outcome: 'sent' } }])
  })

  test('prompts for a paused schedule, because the pause only stops its times', async () => {
    const id = await made()
    await call('PATCH', `/instance/schedules/${id}`, { paused: true })
    expect((await call('POST', `/instance/schedules/${id}/runs`, {})).status).toBe(202)
  })

  test('names the next step while the machine is paused, and prompts nothing', async () => {
    const id = await made()
    await call('POST', '/instance/pause')
    const { status, body } = await call('POST', `/instance/schedules/${id}/runs`, {})
    expect([status, body.message]).toEqual([409, expect.stringContaining('Resume it first')])
    expect(await listed()).toMatchObject([{ runs: [] }])
  })

  test('keeps twenty runs, newest first, also of concurrent runs', async () => {
    const id = await made()
    const runs = Array.from({ length: 25 }, (_, day) => ({
      at: new Date(Date.UTC(2026, 10, day + 1)).toISOString(),
      outcome: 'sent' as const,
      messageId: null,
    }))
    for (const run of runs.slice(0, 22)) await world.ports.schedules.recordRun(tenant.userId, id, run)
    await Promise.all(runs.slice(22).map((run) => world.ports.schedules.recordRun(tenant.userId, id, run)))
    const [{ runs: kept }] = await listed()
    expect(kept.map(({ at }: { at: string }) => at)).toEqual(
      runs
        .slice(5)
        .map(({ at }) => at)
        .reverse(),
    )
  })
})
