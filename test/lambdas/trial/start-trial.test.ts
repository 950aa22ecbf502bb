import { auditWallet } from '../../../app/wallet/books.ts'
import { dayMs, hourMs, iso } from '../../../domain/time.ts'
import { trialStarts } from '../../../domain/trial/trial.ts'
import { listPlans } from '../../../lambdas/public/list-plans.ts'
import { canceled, intercept } from '../../adapters/engine.ts'
import { startMs } from '../../world.ts'
import { credit, openTrialWorld, type TrialWorld } from './trial-world.ts'

let world: TrialWorld
beforeAll(async () => {
  world = await openTrialWorld()
})
afterAll(() => world.close())
afterEach(() => {
  world.setTerms({})
  world.clock.nowMs = startMs
})

let days = 0
/** Advances the clock to a new day, so that each test counts from zero. */
const nextDay = () => {
  world.clock.nowMs = startMs + ++days * dayMs
}

const offered = async () => (await world.request({ operation: listPlans, path: '/plans' })).body.trial

describe('startTrial', () => {
  test('grants an account its trial credit, a machine of the smallest size and an end time', async () => {
    const { userId, tryIt, headers } = await world.visitor()
    const { status, body } = await tryIt()
    expect([status, body]).toEqual([
      201,
      { trial: { startedAt: iso(startMs), endsAt: iso(startMs + 24 * hourMs), creditMicros: credit } },
    ])
    const shown = await world.request({ path: '/instance/status', headers })
    expect(shown.body).toMatchObject({
      instance: { state: 'provisioning' },
      wallet: { balanceMicros: credit },
      subscription: { status: 'none' },
      trial: body.trial,
    })
    const { transactions } = (await world.request({ path: '/wallet/transactions', headers })).body
    expect(transactions).toMatchObject([{ type: 'trial_credit', amountMicros: credit, balanceMicros: credit }])
    expect(await world.ports.instances.find(userId)).toMatchObject({ plan: 'trial' })
    expect((await auditWallet(world.ports, userId)).differences).toEqual([])
    expect((await world.request({ path: '/account/audit', headers })).body.entries).toMatchObject([
      { operation: 'startTrial' },
    ])
  })

  test('grants the credit once, however often and concurrently it is called', async () => {
    const { userId, tryIt } = await world.visitor()
    const answers = await Promise.all(Array.from({ length: 8 }, () => tryIt()))
    for (const { status, body } of [...answers, await tryIt()])
      expect([status, body.trial.creditMicros]).toEqual([201, credit])
    expect(await world.givenTo([userId])).toBe(credit)
  })

  test('refuses a second trial after the first is over', async () => {
    const { userId, tryIt } = await world.visitor()
    await tryIt()
    world.clock.nowMs += 25 * hourMs
    const { headers } = await world.session(userId)
    const again = await world.request({ method: 'POST', path: '/trial', headers })
    expect([again.status, again.body.message]).toEqual([409, expect.stringContaining('already had its trial')])
  })

  test('recognises a mailbox by its other spellings, even after its account is deleted', async () => {
    const first = await world.visitor('a.da@gmail.com')
    expect((await first.tryIt()).status).toBe(201)
    for (const email of ['ada+2@gmail.com', 'AD.A@googlemail.com']) {
      const { body, status } = await (await world.visitor(email)).tryIt()
      expect([status, body.message]).toEqual([409, expect.stringContaining('mailbox')])
    }
    await world.ports.users.scheduleErasure(first.userId, iso(startMs - 1), startMs)
    expect(await world.ports.users.anonymise(first.userId, startMs)).toBe(true)
    expect((await (await world.visitor('a.da@gmail.com')).tryIt()).status).toBe(409)
  })

  test.each([
    ['network', { perNetwork: 2 }, (i: number) => [`${i}@n${i}.example`, '192.0.2.7'], /network/],
    ['IPv6 /64', { perNetwork: 2 }, (i: number) => [`${i}@v${i}.example`, `2001:db8:1:2:${i}::1`], /network/],
    ['mail domain', { perDomain: 2 }, (i: number) => [`${i}@s${i}.many.example`, `198.51.100.${i}`], /domain/],
  ] as const)(
    'refuses more trials than the day’s limit of a %s, and accepts them the next day',
    async (_, terms, sender, why) => {
      nextDay()
      world.setTerms(terms)
      const tried: number[] = []
      for (let i = 1; i <= 3; i++) {
        const [email, ip] = sender(i + 10 * days) as [string, string] // safe because the table has pairs
        const { status, body } = await (await world.visitor(email)).tryIt(ip)
        tried.push(status)
        if (status === 409) expect(body.message).toMatch(why)
      }
      expect(tried).toEqual([201, 201, 409])
      nextDay()
      const [email, ip] = sender(7 + 10 * days) as [string, string] // safe because the table has pairs
      expect((await (await world.visitor(email)).tryIt(ip)).status).toBe(201)
    },
  )

  test('grants no more than the day’s budget, and the public page says when that is used up', async () => {
    nextDay()
    world.setTerms({ budgetMicros: 2 * credit + 1 })
    expect(await offered()).toEqual({ creditMicros: credit, hours: 24, keptDays: 30, open: true })
    const all = await Promise.all(Array.from({ length: 5 }, () => world.visitor()))
    const answers = await Promise.all(all.map(({ tryIt }) => tryIt()))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(2)
    for (const { status, body } of answers) if (status !== 201) expect(body.message).toMatch(/all taken/)
    expect(await world.givenTo(all.map(({ userId }) => userId))).toBe(2 * credit)
    world.clock.nowMs += 6_000
    expect(await offered()).toMatchObject({ open: false })
    nextDay()
    expect(await offered()).toMatchObject({ open: true })
  })

  test('reads the open budget from the store at most once in five seconds', async () => {
    nextDay()
    let reads = 0
    const { trialBudget } = world.ports
    const counted = {
      ...trialBudget,
      recentDay(nowMs: number) {
        reads++
        return trialBudget.recentDay(nowMs)
      },
    }
    const ask = world.client([listPlans], { trialBudget: counted })
    const first = await ask({ operation: listPlans, path: '/plans' })
    await world.ports.trialBudget.stop('a test', iso(world.clock.nowMs))
    expect((await ask({ operation: listPlans, path: '/plans' })).body).toEqual(first.body)
    world.clock.nowMs += 5_000
    expect((await ask({ operation: listPlans, path: '/plans' })).body.trial.open).toBe(false)
    expect(reads).toBe(3)
    await world.ports.trialBudget.resume()
  })

  test('is refused at once while an operator has stopped trials', async () => {
    nextDay()
    expect(await world.ports.trialBudget.stop('somebody farms them', iso(startMs))).toBe(true)
    expect(await world.ports.trialBudget.stop('again', iso(startMs))).toBe(false)
    const { tryIt, userId } = await world.visitor()
    expect((await tryIt()).body.message).toMatch(/no trials at the moment/)
    expect(await world.givenTo([userId])).toBe(0)
    expect(await world.ports.trialBudget.resume()).toBe(true)
    expect(await world.ports.trialBudget.resume()).toBe(false)
    expect((await tryIt()).status).toBe(201)
  })

  test('is refused for an account that has had a plan, and on a stage without trials', async () => {
    const had = await world.visitor()
    const subscription = {
      status: 'canceled',
      plan: 'starter',
      currentPeriodEnd: null,
      cancelAtPeriodEnd: false,
    } as const
    await world.ports.users.setSubscription(had.userId, {
      subscription,
      subscriptionId: 'sub_1',
      asOfSeconds: 1,
      replaces: null,
    })
    expect((await had.tryIt()).body.message).toMatch(/already had a plan/)
    const other = await world.visitor()
    world.setTerms(null)
    expect((await other.tryIt()).body.message).toMatch(/no trials here/)
    expect(await offered()).toBeNull()
    world.setTerms({ budgetMicros: credit - 1 })
    expect((await other.tryIt()).body.message).toMatch(/all taken/)
  })

  test('grants one trial per account, also after a change of address and with a stale read of the account', async () => {
    const { userId, email, tryIt } = await world.visitor()
    expect((await tryIt()).status).toBe(201)
    const next = `moved-${userId.toLowerCase()}@example.com`
    expect(await world.ports.users.changeEmail(userId, email, next)).toBe(true)
    const trial = { startedAt: iso(startMs), endsAt: iso(startMs + hourMs), creditMicros: credit }
    const terms = { budgetMicros: 10 ** 9, creditMicros: credit, hours: 1, perNetwork: 10 ** 4, perDomain: 10 ** 4 }
    const user = { id: userId, email: next }
    expect(await world.ports.trials.start({ user, trial, terms, network: '192.0.2.1' })).toBe('busy')
    expect(await world.givenTo([userId])).toBe(credit)
  })

  test('fails when a plan starts at the same moment', async () => {
    const { userId, tryIt } = await world.visitor()
    const subscription = {
      status: 'active',
      plan: 'starter',
      currentPeriodEnd: null,
      cancelAtPeriodEnd: false,
    } as const
    const { users } = world.ports
    const change = { subscription, subscriptionId: 'sub_1', asOfSeconds: 1, replaces: null }
    const seen = await users.find(userId)
    expect(await users.setSubscription(userId, change)).toBe(true)
    const late = world.client([(await import('../../../lambdas/auth/start-trial.ts')).startTrial], {
      users: { ...users, find: async () => seen },
    })
    const { headers } = await world.session(userId)
    expect((await late({ method: 'POST', path: '/trial', headers })).status).toBe(409)
    expect(await world.givenTo([userId])).toBe(0)
    expect((await tryIt()).status).toBe(409)
  })

  test('asks to retry when the store cancels its transaction, and grants nothing', async () => {
    const { userId, tryIt } = await world.visitor()
    const off = intercept(async (send, commandName) => {
      if (commandName === 'TransactWriteItemsCommand') throw canceled()
      return send()
    })
    const answer = await tryIt()
    off()
    expect([answer.status, answer.body.message]).toEqual([409, 'Your account is changing right now. Try again.'])
    expect(await world.givenTo([userId])).toBe(0)
    expect((await tryIt()).status).toBe(201)
  })
})

describe('a trial’s machine', () => {
  test.each([
    ['was started as often as it may be', { generation: trialStarts }, /20 times at most\. Subscribe/],
    ['holds more than a trial has room for', { overPlanSince: iso(startMs) }, /too large for the trial\. Subscribe/],
  ])('that %s refuses to resume and says why', async (_, state, why) => {
    const { userId, headers, tryIt } = await world.visitor()
    await tryIt()
    const made = await world.ports.instances.find(userId)
    if (!made) throw new Error('no instance')
    const paused = { state: 'paused', desiredState: 'paused', reason: 'user', version: 2 } as const
    await world.ports.instances.save({ ...made, ...paused, ...state }, made)
    if ('overPlanSince' in state) await world.ports.instances.setOverPlan(userId, iso(startMs), null)
    const refused = await world.request({ method: 'POST', path: '/instance/resume', headers })
    expect([refused.status, refused.body.message]).toEqual([409, expect.stringMatching(why)])
    expect((await world.ports.instances.find(userId))?.state).toBe('paused')
  })
})

describe('a trial’s credit', () => {
  test('is not a payment and cannot be refunded', async () => {
    const { userId, tryIt } = await world.visitor()
    await tryIt()
    const payments = []
    for await (const payment of world.ports.wallets.payments(userId)) payments.push(payment)
    expect(payments).toEqual([])
    const debit = {
      key: 'refund#1',
      payment: 'trial',
      amountMicros: 1,
      type: 'refund',
      description: 'x',
      at: iso(startMs),
    }
    await expect(world.ports.wallets.debitOnce(userId, { ...debit, type: 'refund' })).rejects.toThrow(/no such payment/)
    expect((await world.ports.wallets.read(userId)).available).toBe(credit)
  })
})

describe('an account on trial', () => {
  test.each([
    ['a schedule', '/instance/schedules', { cron: '0 8 * * *', timeZone: 'UTC', text: 'Brief me.' }, /no schedules/],
    ['a hook', '/hooks', { name: 'Deployments', text: 'Look at it.' }, /no hooks/],
    [
      'a webhook endpoint',
      '/hooks/endpoints',
      { name: 'Log', url: 'https://example.com/b', events: ['*'] },
      /no webhook endpoints/,
    ],
  ])('cannot have %s, and the error offers a subscription', async (_, path, body, why) => {
    const { tryIt, headers } = await world.visitor()
    await tryIt()
    const answer = await world.request({ method: 'POST', path, headers, body })
    expect([answer.status, answer.body.message]).toEqual([409, expect.stringMatching(why)])
    expect(answer.body.message).toMatch(/Subscribe/)
  })

  test('may pause and resume its machine during the trial, and not after', async () => {
    const { tryIt, headers, userId } = await world.visitor()
    await tryIt()
    const found = await world.ports.instances.find(userId)
    if (!found) throw new Error('no instance')
    await world.ports.instances.save(
      { ...found, state: 'paused', desiredState: 'paused', reason: 'user', version: 2 },
      found,
    )
    expect((await world.request({ method: 'POST', path: '/instance/resume', headers })).status).toBe(202)
    world.clock.nowMs += 25 * hourMs
    const { headers: later } = await world.session(userId)
    const refused = await world.request({ method: 'POST', path: '/instance/resume', headers: later })
    expect([refused.status, refused.body.message]).toEqual([409, expect.stringMatching(/Subscribe/)])
  })
})
