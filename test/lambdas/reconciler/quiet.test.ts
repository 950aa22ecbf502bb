import { newInstance } from '../../../domain/instance/life-cycle.ts'
import { iso, minuteMs } from '../../../domain/time.ts'
import { alive } from '../../../emulators/aws/test/cloud.ts'
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
  const made = newInstance({ instanceId: ids.next('ins'), userId: user.id }, 'starter', '1', clock.now())
  await instances.create(made)
  await wallets.creditOnce(user.id, `start#${user.id}`, 1_000_000, 'adjustment', 'Start', iso(clock.now()))
  await bus.publish('instance.wanted', user.id)
  await user.reaches('running', 1)
  await user.machine(1)
  return user
}

/** The sweep that runs once a minute. */
async function pass(minutes: number): Promise<void> {
  world.clock.nowMs += minutes * minuteMs
  await world.sweep()
  await world.idle()
}

/** The machine's answer to the question whether it may sleep. */
async function answer(user: User, how: { answer: 'ready' | 'busy'; retryAfterSeconds?: number }): Promise<void> {
  const { tasks, conversations, clock } = world.ports
  const { drain, generation = 0 } = (await user.instance()) ?? {}
  const wanted = { prompts: false, tasks: true }
  const { task } = await conversations.next(user.id, generation, clock.now(), wanted)
  expect(task).toMatchObject({ id: drain?.taskId, job: { kind: 'drain' } })
  await tasks.finish(user.id, drain?.taskId ?? '', generation, { kind: 'drain', ...how }, clock.now())
}

async function say(user: User, text: string): Promise<void> {
  const { conversations, ids, clock, instances } = world.ports
  const at = iso(clock.now())
  const web = { conversation: 'main', channel: 'web', text, at } as const
  await conversations.receive(user.id, { id: ids.next('msg'), role: 'user', ...web }, 'chat')
  await instances.touch(user.id, at, 'person')
}

describe('the idle stop', () => {
  test('asks an idle machine, and puts it to sleep once it is ready', async () => {
    const user = await hosted()
    const { pid } = await user.machine(1)
    await pass(14)
    expect(await user.instance()).toMatchObject({ state: 'running', drain: null })
    await pass(2)
    expect(await user.instance()).toMatchObject({ state: 'running', drain: { taskId: expect.stringMatching(/^tsk_/) } })
    await answer(user, { answer: 'ready' })
    await pass(1)
    await user.reaches('paused')
    expect(await user.instance()).toMatchObject({ reason: 'idle', desiredState: 'paused', deadlineMs: null })
    expect(alive(pid)).toBe(false)
  })

  test('keeps a busy machine awake, and asks again at the time it gave', async () => {
    const user = await hosted()
    await pass(16)
    await answer(user, { answer: 'busy', retryAfterSeconds: 300 })
    await pass(2)
    const before = await user.instance()
    expect(before).toMatchObject({ state: 'running' })
    await pass(4)
    const after = await user.instance()
    expect(after?.state).toBe('running')
    expect(after?.drain?.taskId).not.toBe(before?.drain?.taskId)
  })

  test('keeps a machine without an answer awake, up to its plan’s ceiling', async () => {
    const user = await hosted()
    await pass(16)
    for (let passed = 16; passed < 115; passed += 9) await pass(9)
    expect(await user.instance()).toMatchObject({ state: 'running' })
    await pass(15)
    await user.reaches('paused')
    expect(await user.instance()).toMatchObject({ reason: 'idle' })
  })

  test('starts the machine again for a prompt that arrives between the answer and the stop', async () => {
    const user = await hosted()
    await pass(16)
    await answer(user, { answer: 'ready' })
    const { instances } = world.ports
    const record = await user.instance()
    await say(user, 'wait for me')
    // The sweep read the instance before the message arrived.
    const stale = { ...record, lastActivityAt: iso(0), startedAt: iso(0) }
    const { find } = instances
    instances.find = async (id) =>
      id === user.id ? ({ ...(await find(id)), ...stale } as Awaited<ReturnType<typeof find>>) : find(id) // safe because it is the record itself
    const { openSince } = world.ports.conversations
    world.ports.conversations.openSince = async () => false
    await pass(1)
    instances.find = find
    world.ports.conversations.openSince = openSince
    await world.idle()
    expect(await user.reaches('running', 2)).toMatchObject({ wokenBy: 'message' })
  })

  test('makes no store request for a paused instance, however long it sleeps', async () => {
    const user = await hosted()
    await user.ask('pause')
    await user.reaches('paused')
    await world.idle()
    const { instances } = world.ports
    const asked: string[] = []
    const { find } = instances
    instances.find = (id) => {
      asked.push(id)
      return find(id)
    }
    for (let hour = 0; hour < 24; hour++) await pass(60)
    instances.find = find
    expect(asked.filter((id) => id === user.id)).toEqual([])
  })
})

describe('onScheduleDue', () => {
  const fire = async (user: User, text = 'Morning brief') => {
    const { ids, schedules, timers, clock } = world.ports
    const schedule = {
      id: ids.next('sch'),
      cron: '0 8 * * *',
      timeZone: 'UTC',
      at: null,
      by: 'user' as const,
      text,
      createdAt: iso(clock.now()),
      exact: false,
      paused: false,
      runs: [],
    }
    await schedules.add(user.id, schedule, 5)
    await timers.set(user.id, schedule)
    await timers.set(user.id, schedule)
    expect(world.cloud.cloud.fireSchedule(schedule.id)).toBe(true)
    await world.idle()
    return schedule
  }

  test('sends its prompt once although its event arrives twice, and wakes an idle machine', async () => {
    const user = await hosted()
    await pass(16)
    await answer(user, { answer: 'ready' })
    await pass(1)
    await user.reaches('paused')
    const { id } = await fire(user)
    const due = world.published.findLast((event) => event['detail-type'] === 'schedule.due')
    if (!due) throw new Error('nothing was due')
    await world.deliver(due)
    await user.reaches('running', 2)
    const { prompt } = await world.ports.conversations.next(user.id, 2, world.ports.clock.now(), {
      prompts: true,
      tasks: false,
    })
    expect(prompt).toMatchObject({ trigger: 'schedule', text: 'Morning brief' })
    expect(
      (await world.ports.conversations.messages(user.id, { conversation: 'main', after: null, limit: 10 })).items,
    ).toHaveLength(1)
    expect(await world.ports.schedules.find(user.id, id)).toMatchObject({ runs: [{ outcome: 'sent' }] })
    await world.ports.timers.remove(id)
    await world.ports.timers.remove(id)
    expect(world.cloud.cloud.fireSchedule(id)).toBe(false)
  })

  test('lets the machine sleep two minutes after its turn, instead of fifteen after a message', async () => {
    const user = await hosted()
    await pass(16)
    await answer(user, { answer: 'ready' })
    await pass(1)
    await user.reaches('paused')
    await world.idle()
    await fire(user)
    await user.reaches('running', 2)
    const { conversations, instances, clock } = world.ports
    const { prompt } = await conversations.next(user.id, 2, clock.now(), { prompts: true, tasks: false })
    const at = iso(clock.now())
    const reply = {
      id: world.ports.ids.next('msg'),
      role: 'agent',
      text: 'Done.',
      conversation: 'main',
      channel: 'web',
      at,
    } as const
    await conversations.reply(user.id, prompt?.id ?? '', { ...reply, inReplyTo: prompt?.messageId ?? '' })
    await conversations.close(user.id, prompt?.id ?? '', 'completed')
    await instances.touch(user.id, at, 'nobody')
    await pass(3)
    expect(await user.instance()).toMatchObject({ state: 'running', drain: { taskId: expect.stringMatching(/^tsk_/) } })
    await answer(user, { answer: 'ready' })
    await pass(1)
    expect(await user.reaches('paused')).toMatchObject({ reason: 'idle', generation: 2 })
  })

  test('does not wake a machine that its user paused', async () => {
    const user = await hosted()
    await user.ask('pause')
    await user.reaches('paused')
    const { id } = await fire(user)
    expect(await user.instance()).toMatchObject({ state: 'paused', reason: 'user' })
    expect(await world.ports.schedules.find(user.id, id)).toMatchObject({
      runs: [{ outcome: 'paused', messageId: null }],
    })
    expect(await world.ports.conversations.openSince(user.id, 0)).toBe(false)
  })
})

describe('a bad day of the cloud', () => {
  test('shows missing capacity in the status, and retries with growing waits', async () => {
    const user = await world.user()
    const { ids, clock, instances, bus } = world.ports
    const id = ids.next('ins')
    world.cloud.cloud.injectFault({
      action: 'RunTask',
      code: 'ServiceUnavailableException',
      message: 'Capacity is unavailable at this time',
      status: 503,
      times: 10,
      about: id,
    })
    await instances.create(newInstance({ instanceId: id, userId: user.id }, 'starter', '1', clock.now()))
    await bus.publish('instance.wanted', user.id)
    await world.idle()
    expect(await user.instance()).toMatchObject({
      state: 'provisioning',
      failedStarts: 1,
      failure: { code: 'capacity', recoverable: true },
    })
    await bus.publish('instance.wanted', user.id)
    await world.idle()
    expect(await user.instance()).toMatchObject({ failedStarts: 1 })
    expect(world.raised).toEqual([])
    await pass(1)
    expect(await user.instance()).toMatchObject({ failedStarts: 2 })
    const error = expect.stringContaining('ServiceUnavailableException')
    expect(world.raised).toMatchObject([{ name: 'MachineStartFailed', code: 'capacity', instanceId: id, error }])
    await pass(2)
    const record = await user.reaches('running', 1)
    expect(record.failure).toBeUndefined()
  })
})
