import { BerthError } from '../../clients/typescript/client.ts'
import { Outbox, type Outgoing } from '../../dashboard/chat/outbox.ts'
import type { Message } from '../../domain/chat/message.ts'

const unreachable = () => new BerthError('unreachable', 'Not now.')
const refused = () => new BerthError('conflict', 'You have no instance.', { status: 409 })

/** A service that accepts each name once, and pages of one browser that share a storage. */
function openWorld() {
  const taken = new Map<string, Outgoing>()
  const timers: (() => void)[] = []
  const failures: (() => Error)[] = []
  let storage = ''
  let turn = Promise.resolve()
  const world = {
    taken: () => [...taken.values()].map(({ text }) => text),
    sends: 0,
    /** Makes the next requests fail; `afterwards` requests are completed all the same. */
    fail: (...next: (() => Error)[]) => failures.push(...next),
    afterwards: false,
    timers,
    storage: () => storage,
    keep(text: string) {
      storage = text
    },
    page() {
      const shown: Message[] = []
      const outbox = new Outbox(
        {
          async send(message) {
            world.sends += 1
            const failure = failures.shift()
            if (!failure || world.afterwards) taken.set(message.key, message)
            if (failure) throw failure()
            return { id: message.key, text: message.text } as Message // safe because the test reads no other field
          },
          wasTaken: async ({ text }) => [...taken.values()].some((message) => message.text === text),
          alone(work) {
            turn = turn.then(work)
            return turn
          },
          read: () => storage,
          write(text) {
            storage = text
          },
          after: (_, run) => void timers.push(run),
        },
        (message) => shown.push(message),
      )
      return { outbox, shown }
    },
  }
  return world
}

let count = 0
const message = (text: string) => ({
  key: `key-${++count}`,
  conversation: 'main',
  text,
  attachments: [],
  at: '2026-11-20T12:00:00.000Z',
  after: null,
})

describe('the outbox of a browser', () => {
  test('sends one message after another and forgets accepted ones', async () => {
    const world = openWorld()
    const { outbox, shown } = world.page()
    outbox.add(message('one'))
    outbox.add(message('two'))
    await outbox.flush()
    await outbox.flush()
    expect([world.taken(), shown.length, outbox.all(), world.storage()]).toEqual([['one', 'two'], 2, [], '[]'])
  })

  test('keeps unsent messages in order, and sends them once the service answers', async () => {
    const world = openWorld()
    world.fail(unreachable, unreachable)
    const { outbox } = world.page()
    outbox.add(message('one'))
    outbox.add(message('two'))
    await outbox.flush()
    expect([world.taken(), outbox.all().map(({ text }) => text), outbox.isWaiting]).toEqual([[], ['one', 'two'], true])
    while (world.timers.length > 0) {
      world.timers.shift()?.()
      await outbox.flush()
    }
    expect([world.taken(), outbox.isWaiting]).toEqual([['one', 'two'], false])
  })

  test('never sends a message twice that was accepted while its answer was lost, in this page or after a reload', async () => {
    const world = openWorld()
    world.afterwards = true
    world.fail(unreachable)
    const first = world.page()
    first.outbox.add(message('once'))
    await first.outbox.flush()
    const reloaded = world.page()
    await reloaded.outbox.flush()
    await first.outbox.flush()
    expect([world.taken(), world.sends, reloaded.outbox.all()]).toEqual([['once'], 1, []])
  })

  test('sends each message once from two pages of one browser', async () => {
    const world = openWorld()
    const [a, b] = [world.page(), world.page()]
    a.outbox.add(message('one'))
    b.outbox.add(message('two'))
    await Promise.all([a.outbox.flush(), b.outbox.flush()])
    expect([world.taken().sort(), world.sends]).toEqual([['one', 'two'], 2])
  })

  test('shows a refused message until it is retried or dropped, and sends the rest', async () => {
    const world = openWorld()
    world.fail(refused)
    const { outbox } = world.page()
    outbox.add(message('no'))
    await outbox.flush()
    outbox.add(message('yes'))
    await outbox.flush()
    const [kept] = outbox.all()
    expect([kept?.problem, world.taken()]).toEqual(['You have no instance.', ['yes']])
    outbox.retry(kept?.key ?? '', 'another name')
    await outbox.flush()
    expect(world.taken()).toEqual(['yes', 'no'])
    world.fail(refused)
    outbox.add(message('never'))
    await outbox.flush()
    outbox.drop(outbox.all()[0]?.key ?? '')
    expect(world.page().outbox.all()).toEqual([])
  })

  test('keeps a message while signed out, and sends it from the page that opens after the next sign-in', async () => {
    const world = openWorld()
    world.fail(() => new BerthError('unauthorized', 'Sign in again.', { status: 401 }))
    const { outbox } = world.page()
    outbox.add(message('kept'))
    await outbox.flush()
    expect([outbox.all().map(({ problem }) => problem), world.timers]).toEqual([[null], []])
    const next = world.page()
    await next.outbox.flush()
    expect([world.taken(), next.outbox.all()]).toEqual([['kept'], []])
  })

  test('starts empty when its stored messages cannot be parsed', () => {
    const world = openWorld()
    world.keep('{not json')
    expect(world.page().outbox.all()).toEqual([])
  })
})
