import { sweepOutbox } from '../../app/follow-ups/sweep.ts'
import { outboxOf, sendMail } from '../../app/outbox/outbox.ts'
import type { Part } from '../../app/ports/part.ts'
import type { Intent } from '../../domain/outbox.ts'
import { minuteMs } from '../../domain/time.ts'
import { outboxArea } from '../../lambdas/outbox/index.ts'
import { tokensArea } from '../../lambdas/tokens/index.ts'
import { intercept } from '../adapters/engine.ts'
import { openWorld, type World } from '../world.ts'

let world: World
const mails: string[] = []
/** The address to which e-mail fails. */
let unreachable = ''
beforeAll(async () => {
  world = await openWorld({
    areas: [outboxArea, tokensArea],
    ports: ['trialBudget'],
    replace: () => ({
      mail: {
        async send({ to }) {
          if (to === unreachable) throw new Error('no such mailbox')
          mails.push(to)
        },
      },
    }),
  })
})
beforeEach(() => {
  mails.length = 0
  unreachable = ''
  world.clock.nowMs += 60 * minuteMs
})
afterAll(() => world.close())

/** Intents that functions wrote two minutes ago and did not carry out. */
async function left(...intents: Intent[]): Promise<void> {
  for (const intent of intents) {
    const userId = world.newUserId()
    const stored = { userId, id: world.nextId('int'), createdMs: world.clock.nowMs - 2 * minuteMs, intent }
    await world.ports.outbox.add([stored])
  }
}
const mailTo = (to: string): Intent => ({ kind: 'mail', to, subject: 'A letter', text: 'x' })
const sweep = (afterMs = 0) => sweepOutbox(world.ports, world.clock.nowMs + afterMs)

describe('an outbox', () => {
  const letter = { to: 'a@example.com', subject: 'A letter', text: 'x' }
  const raised: string[] = []
  const outboxOfSomebody = () => {
    const deps = { ...world.ports, alarms: { ...world.ports.alarms, raise: (name: string) => void raised.push(name) } }
    return outboxOf(deps, world.newUserId(), [sendMail(deps, letter)])
  }
  /** False for a trial switch that is set already. */
  const stop = (...also: Part[]) => world.ports.trialBudget.stop('a test', 'now', ...also)
  beforeEach(() => void raised.splice(0))

  test('is written with its change, and runs the follow-ups when it is flushed', async () => {
    const outbox = outboxOfSomebody()
    expect([await stop(outbox), outbox.isWritten, mails]).toEqual([true, true, []])
    await outbox.flush()
    await sweep(10 * minuteMs)
    expect([mails, raised]).toEqual([['a@example.com'], []])
  })

  test('that its caller never flushes is left to the sweep', async () => {
    await world.ports.trialBudget.resume(outboxOfSomebody())
    await sweep(10 * minuteMs)
    expect([mails, raised]).toEqual([['a@example.com'], []])
  })

  test('of a change that was not made is not written', async () => {
    const outbox = outboxOfSomebody()
    await stop()
    expect([await stop(outbox), outbox.isWritten]).toEqual([false, false])
    await sweep(10 * minuteMs)
    expect([mails, raised]).toEqual([[], []])
    await world.ports.trialBudget.resume()
  })

  test('is written by the next try after a refused one, and refuses a second change', async () => {
    const outbox = outboxOfSomebody()
    await stop()
    await stop(outbox)
    expect([await world.ports.trialBudget.resume(outbox), outbox.isWritten]).toEqual([true, true])
    await expect(stop(outbox)).rejects.toThrow('written before')
    expect(await world.ports.trialBudget.resume()).toBe(false)
    await outbox.flush()
  })

  // https://github.com/eclipse-dirigible/dirigible/pull/6854 and https://github.com/JiRaska/open-bank-oss/issues/4007
  test('that is flushed without a write keeps its follow-ups, and operators get an alarm', async () => {
    await outboxOfSomebody().flush()
    expect([mails, raised]).toEqual([['a@example.com'], ['FollowUpsWithoutWrite']])
    await sweep(10 * minuteMs)
    expect(mails).toHaveLength(1)
  })

  test('that is flushed without a write keeps its follow-ups for the sweep when they fail', async () => {
    unreachable = letter.to
    await outboxOfSomebody().flush()
    unreachable = ''
    await sweep(10 * minuteMs)
    expect(mails).toEqual([letter.to])
  })
})

describe('the table of intents', () => {
  test('is emptied once by concurrent sweeps', async () => {
    await left(mailTo('a@example.com'), mailTo('b@example.com'), mailTo('c@example.com'))
    await Promise.all([sweep(), sweep(), sweep()])
    await sweep(10 * minuteMs)
    expect(mails.sort()).toEqual(['a@example.com', 'b@example.com', 'c@example.com'])
  })

  test('does not hold back other intents for one that fails or cannot be parsed, and retries the failing one', async () => {
    unreachable = 'a@example.com'
    // safe because a later version may have left such an intent
    await left(mailTo('a@example.com'), { kind: 'unheard-of' } as unknown as Intent, mailTo('c@example.com'))
    await expect(sweep()).rejects.toThrow('2 of 3 intents')
    expect(mails).toEqual(['c@example.com'])
    unreachable = ''
    await expect(sweep(10 * minuteMs)).rejects.toThrow('1 of 2 intents')
    expect(mails).toEqual(['c@example.com', 'a@example.com'])
  })
})

test('an event that cannot be published fails nothing: a new token’s plaintext reaches its owner', async () => {
  const { headers } = await world.session()
  // The first token counts the account's slots, which is a put as well.
  await world.request({ method: 'POST', path: '/tokens', headers, body: { name: 'first' } })
  const off = intercept(async (send, commandName) => {
    if (commandName === 'PutItemCommand') throw new Error('the store fails')
    return send()
  })
  const { status, body } = await world.request({ method: 'POST', path: '/tokens', headers, body: { name: 'laptop' } })
  off()
  expect([status, body.plaintext]).toEqual([201, expect.stringMatching(/^oss_/)])
})
