import { showInstance } from '../../../domain/instance/explain.ts'
import { newInstance } from '../../../domain/instance/life-cycle.ts'
import { resumeRollout } from '../../../domain/instance/rollout.ts'
import { iso, minuteMs } from '../../../domain/time.ts'
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
  const { ids, clock, instances, bus } = world.ports
  await instances.create(newInstance({ instanceId: ids.next('ins'), userId: user.id }, 'starter', '1', clock.now()))
  await bus.publish('instance.wanted', user.id)
  await user.reaches('running', 1)
  await user.machine(1)
  return user
}

async function pass(minutes: number): Promise<void> {
  world.clock.nowMs += minutes * minuteMs
  await world.sweep()
  await world.idle()
}

/** The work of a generation's machine on the waiting task. */
async function doTask(user: User, kind: string, generation: number): Promise<void> {
  const { conversations, tasks, restorePoints, clock } = world.ports
  const { task } = await conversations.next(user.id, generation, clock.now(), { prompts: false, tasks: true })
  expect(task?.job.kind).toBe(kind)
  if (task?.job.kind === 'snapshot') {
    const how = { state: 'ready' as const, completedAt: iso(clock.now()), summary: null, newBytes: 0, failure: null }
    await restorePoints.finish(user.id, task.job.pointId, how)
  }
  await tasks.finish(user.id, task?.id ?? '', generation, { kind: 'restore', files: 0, bytes: 0 }, clock.now())
}

const told = async (user: User, type: string) =>
  (await user.events()).filter((event) => event.type === type).map(({ data }) => data)

describe('a new image', () => {
  test('starts in an idle moment after a restore point, is on trial, and counts as healthy when it keeps running', async () => {
    const user = await hosted()
    world.faults.image = 'roll-1'
    await pass(16)
    const [point] = await world.ports.restorePoints.list(user.id)
    expect(point).toMatchObject({ reason: 'upgrade', state: 'making' })
    await pass(1)
    expect(await user.instance()).toMatchObject({ state: 'running', imageVersion: '1', generation: 1 })
    await doTask(user, 'snapshot', 1)
    await pass(1)
    await user.reaches('running', 2)
    expect(await user.instance()).toMatchObject({ imageVersion: 'roll-1', previousImage: '1', wokenBy: 'image' })
    expect(await world.ports.restorePoints.list(user.id)).toHaveLength(1)
    expect(await told(user, 'instance.image_changed')).toEqual([{ imageVersion: 'roll-1', restorePoint: point?.id }])
    await pass(3)
    expect(await user.instance()).toMatchObject({ imageVersion: 'roll-1', previousImage: null, preUpgradePoint: null })
    expect(await world.ports.rollouts.find('roll-1')).toMatchObject({ state: 'rolling', healthy: 1, trying: {} })
  })

  test('waits ten minutes for the restore point, then starts without one and says so', async () => {
    const user = await hosted()
    world.faults.image = 'roll-2'
    await pass(16)
    await pass(9)
    expect(await user.instance()).toMatchObject({ imageVersion: '1', generation: 1 })
    await pass(1)
    await user.reaches('running', 2)
    expect(await told(user, 'instance.image_changed')).toEqual([{ imageVersion: 'roll-2', restorePoint: null }])
  })

  test('requires a new restore point when something happened since the last', async () => {
    const user = await hosted()
    world.faults.image = 'roll-3'
    await pass(16)
    await doTask(user, 'snapshot', 1)
    const { instances, clock, restorePoints } = world.ports
    world.clock.nowMs += 1_000
    await instances.touch(user.id, iso(clock.now()), 'person')
    await pass(6)
    expect(await user.instance()).toMatchObject({ imageVersion: '1', generation: 1 })
    await pass(11)
    expect((await restorePoints.list(user.id)).map(({ state }) => state)).toEqual(['making', 'ready'])
  })

  test('is rolled back with the volume when its machine dies: first the files by a volume worker, then the agent', async () => {
    const user = await hosted()
    world.faults.image = 'roll-4'
    await pass(16)
    await doTask(user, 'snapshot', 1)
    await pass(1)
    await user.reaches('running', 2)
    process.kill((await user.machine(2)).pid, 'SIGKILL')
    const keeping = await user.reaches('maintenance', 3)
    expect(keeping).toMatchObject({ imageVersion: '1', previousImage: null })
    expect(showInstance(keeping)).toMatchObject({
      state: 'resuming',
      explanation: expect.stringMatching(/brought back/),
    })
    const worker = await user.machine(3)
    expect(worker.env.BERTH_ROLE).toBe('volume-worker')
    await user.ask('resume')
    await doTask(user, 'restore', 3)
    process.kill(worker.pid, 'SIGTERM')
    expect(await user.reaches('running', 4)).toMatchObject({
      imageVersion: '1',
      preUpgradePoint: null,
      wokenBy: 'image',
    })
    expect((await user.machine(4)).env.BERTH_ROLE).toBeUndefined()
    const [point] = await world.ports.restorePoints.list(user.id)
    expect(await told(user, 'instance.image_reverted')).toEqual([{ imageVersion: '1', restorePoint: point?.id }])
    expect(await world.ports.rollouts.find('roll-4')).toMatchObject({ state: 'rolling', failed: { [user.id]: 1 } })
  })

  test('is not halted by one user who kills the supervisor repeatedly during the trial', async () => {
    const [killer, other] = [await hosted(), await hosted()]
    world.faults.image = 'roll-6'
    await pass(16)
    await doTask(killer, 'snapshot', 1)
    await pass(1)
    await killer.reaches('running', 2)
    process.kill((await killer.machine(2)).pid, 'SIGKILL')
    await killer.reaches('maintenance', 3)
    await doTask(killer, 'restore', 3)
    process.kill((await killer.machine(3)).pid, 'SIGTERM')
    await killer.reaches('running', 4)
    await doTask(other, 'snapshot', 1)
    await pass(1)
    await other.reaches('running', 2)
    await pass(16)
    expect(await other.instance()).toMatchObject({ imageVersion: 'roll-6', previousImage: null })
    expect(await killer.instance()).toMatchObject({ imageVersion: '1', generation: 4 })
    expect(await world.ports.rollouts.find('roll-6')).toMatchObject({ state: 'rolling', healthy: 1 })
  })

  test('raises the alarm at every sweep while it is halted, until an operator resumes it', async () => {
    const { rollouts } = world.ports
    world.faults.image = 'roll-7'
    const alarms = () => world.raised.splice(0).filter(({ name }) => name === 'ImageRolloutHalted')
    await world.sweep()
    expect(alarms()).toEqual([])
    const unused = await rollouts.find('roll-7')
    await rollouts.save({ ...unused, state: 'halted', failed: { usr_1: 1, usr_2: 2 } }, unused)
    for (let i = 0; i < 2; i++) await world.sweep()
    expect(alarms()).toMatchObject(Array(2).fill({ value: 1, image: 'roll-7', failed: 2 }))
    const halted = await rollouts.find('roll-7')
    await rollouts.save(resumeRollout(halted), halted)
    await world.sweep()
    expect(alarms()).toEqual([])
  })

  test('is rolled back at once without the volume when it cannot be pulled, is not retried for this user, and alerts operators', async () => {
    const [user, other] = [await hosted(), await hosted()]
    world.faults.image = 'roll-5'
    world.cloud.cloud.injectFault({
      action: 'StartTask',
      code: 'CannotPullContainerError',
      message: 'manifest unknown',
      times: 9,
      about: ':roll-5',
    })
    await pass(16)
    await doTask(user, 'snapshot', 1)
    await doTask(other, 'snapshot', 1)
    world.raised.splice(0)
    const failed = async () => Object.keys((await world.ports.rollouts.find('roll-5')).failed)
    for (const count of [1, 2]) {
      await pass(1)
      await until(async () => (await failed()).length === count)
    }
    const records = await Promise.all([user.reaches('running'), other.reaches('running')])
    expect(records.map((record) => [record.imageVersion, record.generation])).toEqual(Array(2).fill(['1', 3]))
    expect((await failed()).sort()).toEqual([user.id, other.id].sort())
    const told = { name: 'MachineStartFailed', code: 'image', image: 'roll-5' }
    expect(world.raised).toMatchObject(Array(2).fill(told))
    await pass(16)
    expect(await user.instance()).toMatchObject({ imageVersion: '1', generation: 3 })
  })
})
