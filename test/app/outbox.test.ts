import { sweepOutbox } from '../../app/follow-ups/sweep.ts'
import { commit, sendMail } from '../../app/outbox/commit.ts'
import { lost } from '../../app/retry.ts'
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
    await world.ports.outbox.along({ intents: [stored] }, () => world.ports.wallets.open(userId))
  }
}
const mailTo = (to: string): Intent => ({ kind: 'mail', to, subject: 'A letter', text: 'x' })
const sweep = (afterMs = 0) => sweepOutbox(world.ports, world.clock.nowMs + afterMs)

describe('an act that', () => {
  const letter = { to: 'a@example.com', subject: 'A letter', text: 'x' }
  const raised: string[] = []
  const change = (act: (userId: string) => Promise<unknown>) => {
    const deps = { ...world.ports, alarms: { ...world.ports.alarms, raise: (name: string) => void raised.push(name) } }
    const userId = world.newUserId()
    return commit(deps, userId, { followUps: [sendMail(deps, letter)] }, () => act(userId))
  }
  beforeEach(() => void raised.splice(0))

  test('writes a change is followed by its follow-ups', async () => {
    await change((userId) => world.ports.wallets.open(userId))
    expect([mails, raised]).toEqual([['a@example.com'], []])
  })

  test.each([[lost], [null], [false]])('returns %p because it wrote nothing is followed by nothing', async (said) => {
    await change(async () => said)
    await sweep(10 * minuteMs)
    expect([mails, raised]).toEqual([[], []])
  })

  // https://github.com/eclipse-dirigible/dirigible/pull/6854 and https://github.com/JiRaska/open-bank-oss/issues/4007
  test('writes nothing and does not say so keeps its follow-ups, and operators get an alarm', async () => {
    await change(async () => 'done')
    expect([mails, raised]).toEqual([['a@example.com'], ['FollowUpsWithoutWrite']])
    await sweep(10 * minuteMs)
    expect(mails).toHaveLength(1)
  })

  test('writes nothing and does not say so keeps its follow-ups for the sweep when they fail', async () => {
    unreachable = letter.to
    await change(async () => 'done')
    unreachable = ''
    await sweep(10 * minuteMs)
    expect(mails).toEqual([letter.to])
  })

  test('fails is followed by nothing', async () => {
    await expect(change(() => Promise.reject(new Error('refused')))).rejects.toThrow('refused')
    await sweep(10 * minuteMs)
    expect([mails, raised]).toEqual([[], []])
  })
})

describe('the outbox', () => {
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
