import { jest } from '@jest/globals'
import fc from 'fast-check'
import type { Answer } from '../../../agent/kit/service.ts'
import { HeldPrompts } from '../../../agent/supervisor/held-prompts.ts'
import { TaskPoller } from '../../../agent/supervisor/task-poller.ts'
import { TurnJournal } from '../../../agent/volume/turn-journal.ts'
import type { PolledWork, Task } from '../../../domain/agent/task.ts'
import type { Prompt } from '../../../domain/chat/message.ts'
import { seeded } from '../../counts.ts'

const minuteMs = 60_000

interface Waiting {
  id: string
  kind: 'prompt' | 'task'
  conversation: string
  leasedUntilMs: number
  attempt: number
  open: boolean
}

/** A service and a machine on a clock that the test moves; the test decides what the runtime does. */
function openWorld() {
  const waiting: Waiting[] = []
  const asked: { tasks: 'too' | 'only'; waitSeconds: number }[] = []
  const world = {
    waiting,
    asked,
    connected: true,
    fails: 0,
    /** The travel time of a poll's answer; later events are not in the answer. */
    travelMs: 30,
    taskMs: 100,
    /** Tasks that were started and abandoned. */
    leaves: 0,
    held: new HeldPrompts(),
  }

  const none = { prompt: null, turn: null, task: null }

  function take(tasks: 'too' | 'only'): PolledWork {
    const nowMs = Date.now()
    const isFree = (work: Waiting) => work.open && work.leasedUntilMs <= nowMs
    const blocked = new Set<string>()
    const found =
      waiting.find((work) => work.kind === 'task' && isFree(work)) ??
      waiting.find((work) => {
        if (work.kind !== 'prompt' || !work.open || tasks === 'only' || blocked.has(work.conversation)) return false
        blocked.add(work.conversation)
        return isFree(work)
      })
    if (!found) return none
    found.leasedUntilMs = nowMs + (found.kind === 'task' ? 1 : 2) * minuteMs
    found.attempt++
    const { id, attempt } = found
    // safe because the poller reads no other field
    return found.kind === 'task'
      ? { ...none, task: { id, job: { kind: 'drain' } } as Task }
      : { ...none, prompt: { id, attempt } as Prompt }
  }

  const after = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))
  const service = {
    async poll(waitSeconds: number, tasks: 'too' | 'only'): Promise<Answer<PolledWork>> {
      asked.push({ tasks, waitSeconds })
      if (world.fails > 0) {
        world.fails--
        await after(world.travelMs)
        if (world.fails % 2) throw new Error('no connection')
        return { ok: false, status: 500, headers: {}, text: '{}' }
      }
      let body = take(tasks)
      for (const untilMs = Date.now() + waitSeconds * 1000; !body.prompt && !body.task && Date.now() < untilMs; ) {
        await after(500)
        body = take(tasks)
      }
      await after(world.travelMs)
      return { ok: true, status: 200, headers: {}, body }
    },
  }

  const poller = new TaskPoller({
    service,
    async perform({ id }) {
      await after(world.taskMs)
      if (world.leaves > 0) throw new Error(`left the ${world.leaves--}th`)
      const task = waiting.find((candidate) => candidate.id === id)
      if (task) task.open = false
    },
    isTold: () => world.connected,
    taken: () => {},
    place: async ({ attachments: _, ...prompt }) => prompt,
    closeStopped: async () => {},
    held: world.held,
    volume: '/nowhere',
    journal: new TurnJournal('/nowhere'),
    runtime: () => undefined,
    modelCalls: () => 0,
    stopped: new AbortController().signal,
    log: () => {},
  })
  poller.start()

  let count = 0
  return Object.assign(world, {
    poller,
    add(kind: Waiting['kind'], conversation = 'web', told = true) {
      const added = { id: `${kind}${++count}`, kind, conversation, leasedUntilMs: 0, attempt: 0, open: true }
      waiting.push(added)
      if (told && world.connected) poller.hint()
      return added
    },
    /** As the supervisor records it. */
    close(prompt: Pick<Prompt, 'id'>) {
      const found = waiting.find(({ id }) => id === prompt.id)
      if (found) found.open = false
      world.held.close(prompt.id)
      poller.hint()
    },
    connect(connected: boolean) {
      world.connected = connected
      if (connected) poller.hint()
      else poller.reconsider()
    },
    /** A runtime that answers one prompt after another, each in `answerMs`; `lose` makes it forget some. */
    async run(answerMs: number, lose: () => boolean = () => false) {
      for (;;) {
        const answer = await poller.poll(20, new AbortController().signal).catch(() => undefined)
        if (!answer?.ok) await after(1_000)
        else if (answer.body.prompt && !lose()) {
          await after(answerMs)
          this.close(answer.body.prompt)
        }
      }
    },
    untaken: () => waiting.filter((work) => work.open && work.attempt === 0),
  })
}

beforeEach(() => jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] }))
afterEach(() => jest.useRealTimers())

/** Runs everything that waits for no timer. */
const settled = () => new Promise((resolve) => setImmediate(resolve))

/** Like `advanceTimersByTimeAsync`, which takes a real millisecond for each timer. */
async function pass(ms: number): Promise<void> {
  let passed = false
  setTimeout(() => {
    passed = true
  }, ms)
  for (await settled(); !passed; await settled()) jest.advanceTimersToNextTimer()
}

describe('a machine that gets notices of work', () => {
  test('polls once when it starts, and not again without a notice', async () => {
    const world = openWorld()
    void world.run(1_000)
    await pass(2_000)
    const { length } = world.asked
    expect(length).toBeLessThanOrEqual(2)
    await pass(60 * minuteMs)
    expect(world.asked).toHaveLength(length)
    expect(world.asked.every(({ waitSeconds }) => waitSeconds === 0)).toBe(true)
  })

  test('takes a prompt at once after its notice, and polls until nothing is left', async () => {
    const world = openWorld()
    void world.run(1_000)
    await pass(1_000)
    const before = world.asked.length
    for (const conversation of ['one', 'two', 'three']) world.add('prompt', conversation)
    await pass(100)
    expect(world.waiting[0]?.attempt).toBe(1)
    await pass(10_000)
    expect(world.waiting.every(({ open }) => !open)).toBe(true)
    // Three polls with a prompt, and an empty one.
    expect(world.asked.length - before).toBe(4)
  })

  test.each(['before', 'during', 'after'])('does not lose a notice %s a poll', async (when) => {
    const world = openWorld()
    world.travelMs = 200
    if (when !== 'before') void world.run(10)
    await pass(when === 'during' ? 100 : 1_000)
    const added = world.add('prompt')
    if (when === 'before') void world.run(10)
    await pass(1_000)
    expect(added).toMatchObject({ attempt: 1, open: false })
  })

  test('does tasks while the runtime works, and while it waits', async () => {
    const world = openWorld()
    void world.run(5 * minuteMs)
    await pass(1_000)
    const idle = world.add('task')
    await pass(1_000)
    expect(idle.open).toBe(false)
    world.add('prompt')
    await pass(1_000)
    const busy = world.add('task')
    await pass(1_000)
    expect(busy.open).toBe(false)
  })

  test('takes a prompt that waited for the close of another, even if the runtime polled before the close', async () => {
    const world = openWorld()
    const first = world.add('prompt', 'web')
    const second = world.add('prompt', 'web')
    const left = new AbortController().signal
    const given = world.poller.poll(20, left)
    await pass(1_000)
    expect(await given).toMatchObject({ body: { prompt: { id: first.id } } })
    const next = world.poller.poll(20, left)
    await pass(1_000)
    expect(second.attempt).toBe(0)
    world.close(first)
    await pass(1_000)
    expect(await next).toMatchObject({ body: { prompt: { id: second.id } } })
  })

  test('polls again for a prompt that the runtime lost, once its lease is over', async () => {
    const world = openWorld()
    let lost = 0
    void world.run(10, () => lost++ === 0)
    const prompt = world.add('prompt')
    await pass(100_000)
    expect(prompt.attempt).toBe(1)
    await pass(40_000)
    expect(prompt).toMatchObject({ attempt: 2, open: false })
  })

  test('uses long polls while it is not connected, and polls when it is connected again', async () => {
    const world = openWorld()
    void world.run(10)
    await pass(1_000)
    world.connect(false)
    const prompt = world.add('prompt')
    await pass(2_000)
    expect(prompt.open).toBe(false)
    expect(world.asked.at(-1)).toEqual({ tasks: 'too', waitSeconds: 20 })
    const missed = world.add('prompt', 'web', false)
    world.connect(true)
    await pass(22_000)
    expect(missed.open).toBe(false)
  })

  const step = fc.oneof(
    fc.record({
      do: fc.constantFrom('prompt', 'task', 'untold prompt', 'untold task'),
      conversation: fc.constantFrom('a', 'b'),
    }),
    fc.record({ do: fc.constantFrom('cut', 'connect', 'fail', 'slow', 'quick', 'leave') }),
    fc.record({ do: fc.constant('wait'), ms: fc.integer({ min: 1, max: 3_000 }) }),
  )

  test('leaves no work waiting for longer than to its next report, whatever happens', async () => {
    await fc.assert(
      fc
        .asyncProperty(
          fc.array(step, { maxLength: 25 }),
          fc.integer({ min: 0, max: 2_000 }),
          async (steps, answerMs) => {
            const world = openWorld()
            void world.run(answerMs)
            for (const each of steps) {
              const [what, kind] = each.do.split(' ').reverse()
              if (what === 'prompt' || what === 'task')
                world.add(what, 'conversation' in each ? each.conversation : 'a', kind !== 'untold')
              if (each.do === 'cut') world.connect(false)
              if (each.do === 'connect') world.connect(true)
              if (each.do === 'fail') world.fails += 2
              if (each.do === 'slow') world.travelMs = 700
              if (each.do === 'leave') world.leaves++
              if (each.do === 'quick') world.travelMs = 5
              await pass('ms' in each ? each.ms : 20)
            }
            const untold = world.untaken()
            // The machine has taken all announced work and all work that it can poll for; a report's answer says when
            // there is more.
            await pass(3 * minuteMs)
            expect(world.untaken().every((work) => untold.includes(work))).toBe(true)
            if (world.untaken().length > 0) world.poller.hint()
            // Each abandoned task costs the length of its lease.
            await pass((3 + 2 * world.leaves) * minuteMs)
            expect(world.waiting.filter(({ open }) => open)).toEqual([])
          },
          // A poll that still waits in this world would slow the next one down.
        )
        .afterEach(() => jest.clearAllTimers()),
      seeded(10_000, 50),
    )
  }, 300_000)
})
