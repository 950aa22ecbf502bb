import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { addPoint, newPoint } from '../../../app/files/restore-points.ts'
import { showInstance } from '../../../domain/instance/explain.ts'
import { newInstance } from '../../../domain/instance/life-cycle.ts'
import { iso, minuteMs } from '../../../domain/time.ts'
import { alive } from '../../../emulators/aws/test/cloud.ts'
import { until } from '../../until.ts'
import { type MachineWorld, openMachineWorld, type User } from './machine-world.ts'

let world: MachineWorld
beforeAll(async () => {
  world = await openMachineWorld()
})
afterAll(() => world.close())
afterEach(() => world.settle())

async function hosted(): Promise<User> {
  const user = await world.user()
  const { ids, clock, instances, bus, wallets } = world.ports
  await instances.create(newInstance({ instanceId: ids.next('ins'), userId: user.id }, 'starter', '1', clock.now()))
  await wallets.creditOnce(user.id, `start#${user.id}`, 1_000_000, 'adjustment', 'Start', iso(clock.now()))
  await bus.publish('instance.wanted', user.id)
  await user.reaches('running', 1)
  await user.machine(1)
  return user
}

async function asleep(): Promise<User> {
  const user = await hosted()
  await user.ask('pause')
  await user.reaches('paused')
  await world.idle()
  return user
}

async function askExport(user: User): Promise<string> {
  const { ids, clock } = world.ports
  const record = await user.instance()
  if (!record) throw new Error('no instance')
  const id = ids.next('tsk')
  await world.ports.tasks.add(record.userId, id, { kind: 'export' }, clock.now())
  await world.ports.bus.publish('instance.wanted', record.userId)
  return id
}

/** The work of the volume worker's program: takes a task and ends it. */
async function doTask(user: User, id: string, generation: number): Promise<void> {
  const { conversations, tasks, clock } = world.ports
  const { task } = await conversations.next(user.id, generation, clock.now(), { prompts: false, tasks: true })
  expect(task?.id).toBe(id)
  const failure = { code: 'internal' as const, message: 'Only played.' }
  expect(await tasks.finish(user.id, id, generation, failure, clock.now())).toBe(true)
}

const find = (user: User, id: string) => world.ports.tasks.find(user.id, id)

async function pass(minutes: number): Promise<void> {
  world.clock.nowMs += minutes * minuteMs
  await world.sweep()
  await world.idle()
}

describe('a volume worker', () => {
  test('does the file operations of a paused instance, may not spend, and is visible only in the explanation', async () => {
    const user = await asleep()
    const id = await askExport(user)
    await user.reaches('maintenance', 2)
    const { env, pid } = await user.machine(2)
    expect(env).toMatchObject({ BERTH_ROLE: 'volume-worker', BERTH_FILES_TOKEN: expect.stringMatching(/^bmt_files/) })
    expect(env.BERTH_LLM_TOKEN).toBeUndefined()
    expect((await world.ports.wallets.read(user.id)).generation).toBe(0)
    const record = await user.instance()
    const shown = record && showInstance(record)
    expect(shown).toMatchObject({ state: 'paused', desiredState: 'paused', reason: 'user' })
    expect(shown?.explanation).toMatch(/you paused it.*volume worker/)
    await doTask(user, id, 2)
    process.kill(pid, 'SIGTERM')
    expect(await user.reaches('paused', 2)).toMatchObject({ reason: 'user', deadlineMs: null })
    await world.idle()
    const states = (await user.events()).filter(({ type }) => type === 'instance.state_changed')
    expect(states.map(({ data }) => data.state)).toEqual(['running', 'pausing', 'paused'])
  })

  test('makes way for the agent: resume waits for its end, and the agent’s machine gets the remaining tasks', async () => {
    const user = await asleep()
    const id = await askExport(user)
    await user.reaches('maintenance', 2)
    const worker = await user.machine(2)
    await user.ask('resume')
    expect(showInstance((await user.instance()) as never).state).toBe('resuming') // safe because the user has one
    await user.reaches('running', 3)
    expect(alive(worker.pid)).toBe(false)
    expect((await user.machine(3)).env.BERTH_ROLE).toBeUndefined()
    await doTask(user, id, 3)
  })

  test('starts for a request from the time of the stop, and again for one from the time of its own end', async () => {
    const user = await hosted()
    const id = await askExport(user)
    await user.ask('pause')
    await user.reaches('maintenance', 2)
    const { pid } = await user.machine(2)
    await doTask(user, id, 2)
    world.faults.deaf = true
    process.kill(pid, 'SIGTERM')
    await until(() => !alive(pid))
    const late = await askExport(user)
    world.faults.deaf = false
    await world.ports.bus.publish('instance.wanted', user.id)
    await user.reaches('maintenance', 3)
    await doTask(user, late, 3)
  })

  test('is given up after repeated deaths, and the waiting person is notified', async () => {
    const user = await asleep()
    world.faults.agentMode = 'crash'
    const { ids: _, ...ports } = world.ports
    const record = await user.instance()
    if (!record) throw new Error('no instance')
    const point = newPoint(world.ports, record, 'demand', ports.clock.now())
    await addPoint(world.ports, record.userId, point, ports.clock.now())
    await ports.bus.publish('instance.wanted', user.id)
    await until(async () => (await find(user, point.taskId))?.state === 'failed')
    await user.reaches('paused', 5)
    expect(await ports.restorePoints.find(user.id, point.id)).toMatchObject({
      state: 'failed',
      failure: expect.stringMatching(/could not be done in time/),
    })
    world.faults.agentMode = ''
    await user.ask('resume')
    await user.reaches('running', 6)
  })

  test('is stopped after half an hour when it hangs, and its task is given up', async () => {
    const user = await asleep()
    const id = await askExport(user)
    await user.reaches('maintenance', 2)
    const { pid } = await user.machine(2)
    await pass(29)
    expect(await user.instance()).toMatchObject({ state: 'maintenance' })
    await pass(2)
    await user.reaches('paused', 2)
    expect(alive(pid)).toBe(false)
    expect(await find(user, id)).toMatchObject({ state: 'failed', failure: { code: 'conflict' } })
  })

  test('is retried when there is no capacity, then given up', async () => {
    const user = await asleep()
    const message = 'Capacity is unavailable at this time'
    const { id: about = '' } = (await user.instance()) ?? {}
    const fault = { action: 'RunTask', code: 'ServiceUnavailableException', message, status: 503, times: 99, about }
    world.cloud.cloud.injectFault(fault)
    const id = await askExport(user)
    await world.idle()
    expect(await user.instance()).toMatchObject({ state: 'maintenance-starting', failedStarts: 1 })
    for (const minutes of [1, 2, 3]) await pass(minutes)
    expect(await user.instance()).toMatchObject({ state: 'paused', reason: 'user' })
    expect(await find(user, id)).toMatchObject({ state: 'failed' })
  })
})

describe('the deletion of an instance', () => {
  const keep = async (key: string) => {
    const address = await world.ports.storage.putAddress(key, 1)
    expect((await fetch(address, { method: 'PUT', body: 'x' })).status).toBe(200)
  }

  test('empties the volume, erases stored objects, removes cloud resources, and invalidates its tokens for later instances', async () => {
    const user = await hosted()
    const first = await user.machine(1)
    const { id = '' } = (await user.instance()) ?? {}
    await keep(`instances/${id}/chunks/1`)
    await keep(`handover/${id}/tsk_1`)
    writeFileSync(join(world.folderOf(id), 'diary'), 'mine')
    const { schedules, timers } = world.ports
    const daily = {
      id: world.ports.ids.next('sch'),
      cron: '0 8 * * *',
      timeZone: 'UTC',
      at: null,
      by: 'user' as const,
      text: 'x',
      createdAt: iso(0),
      exact: false,
      paused: false,
      runs: [],
    }
    await schedules.add(user.id, daily, 5)
    await timers.set(user.id, daily)
    await user.ask('delete')
    await user.reaches('deleted', 2)
    expect(alive(first.pid)).toBe(false)
    expect(existsSync(world.folderOf(id)) ? readdirSync(world.folderOf(id)) : []).toEqual([])
    for (const key of [`instances/${id}/chunks/1`, `handover/${id}/tsk_1`])
      expect(await world.ports.storage.size(key)).toBeNull()
    expect(await schedules.list(user.id)).toEqual([])
    await world.idle()
    const { instances, machineTokens, clock, ids, wallets } = world.ports
    const fresh = { instanceId: ids.next('ins'), userId: user.id }
    const again = newInstance(fresh, 'starter', '1', clock.now(), await user.instance())
    expect(again).toMatchObject({ generation: 3, volumeErased: false })
    expect(await instances.create(again)).toBe(true)
    await world.ports.bus.publish('instance.wanted', user.id)
    await user.reaches('running', 3)
    const claims = await machineTokens.verify(first.env.BERTH_AGENT_TOKEN ?? '', 'agent', clock.now())
    expect(claims && (await instances.admitMachine(claims, 'agent', clock.now())).admitted).toBe(false)
    expect((await wallets.read(user.id)).generation).toBe(3)
  })

  test('completes only when the volume is empty: another eraser follows a failed one', async () => {
    const user = await asleep()
    world.faults.erases = false
    await user.ask('delete')
    await until(async () => ((await user.instance())?.failedStarts ?? 0) > 0)
    expect(await user.instance()).toMatchObject({ state: 'erasing', volumeErased: false })
    world.faults.erases = true
    await pass(1)
    await user.reaches('deleted')
  })

  test('needs no eraser without a machine, so an error that blocks its start does not block its deletion', async () => {
    const user = await world.user()
    const { ids, clock, instances, bus } = world.ports
    const id = ids.next('ins')
    const message = 'Nothing can be registered'
    const fault = { action: 'RegisterTaskDefinition', code: 'ClientException', message, times: 99, about: id }
    world.cloud.cloud.injectFault(fault)
    await instances.create(newInstance({ instanceId: id, userId: user.id }, 'starter', '1', clock.now()))
    await bus.publish('instance.wanted', user.id)
    await world.idle()
    expect(await user.instance()).toMatchObject({ state: 'failed', failure: { code: 'start-failed' } })
    await user.ask('delete')
    await world.idle()
    await pass(4)
    expect(await user.reaches('deleted')).toMatchObject({ volumeErased: true })
  })
})
