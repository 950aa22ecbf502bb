import { userAt } from '../../../adapters/dynamo/account/users.ts'
import { change } from '../../../adapters/dynamo/calls.ts'
import { directoryBackfill } from '../../../adapters/dynamo/operator/directory-backfill.ts'
import { recentSignInMs } from '../../../domain/lifetimes.ts'
import type { ListedUser } from '../../../domain/operator/listed-user.ts'
import { operatorsTrail } from '../../../domain/operator/trail.ts'
import { iso } from '../../../domain/time.ts'
import { newTrial } from '../../../domain/trial/trial.ts'
import { closedReason } from '../../../domain/wallet/state.ts'
import { counted } from '../../adapters/engine.ts'
import { type Console, openConsole, reason } from './console.ts'

let operators: Console
beforeAll(async () => {
  operators = await openConsole()
})
afterAll(() => operators.world.close())

interface Listed {
  status: number
  users: ListedUser[]
  nextCursor: string | null
  complete: boolean
}

/** The sign-in is a day old: lists need no recent one. */
async function list(query: Record<string, string | number>): Promise<Listed> {
  const { world } = operators
  const day = 24 * 60 * 60_000
  expect(day).toBeGreaterThan(recentSignInMs)
  const { headers } = await world.operator()
  const search = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]))
  world.clock.nowMs += day
  const { status, body } = await world.request({ path: `/operator/directory?${search}`, headers })
  world.clock.nowMs -= day
  return { status, ...body } as unknown as Listed
}

const emails = ({ users }: Listed) => users.map(({ account }) => account.email)

/** New users with these addresses, each after a prefix that no other test has. */
async function people(prefix: string, names: readonly string[]) {
  const { world } = operators
  const made = []
  for (const name of names) {
    const id = world.newUserId()
    await world.ports.users.findOrCreate(`${prefix}${name}@example.com`, id, world.clock.nowMs)
    await world.ports.wallets.open(id)
    made.push(id)
  }
  return made
}

const subscription = (plan: 'starter' | 'pro', status: 'active' | 'canceled') => ({
  subscription: { status, plan, currentPeriodEnd: null, cancelAtPeriodEnd: false },
  subscriptionId: 'sub_1',
})

describe('listUsers', () => {
  test('lists users by the beginning of their address, in order, page by page', async () => {
    const names = Array.from({ length: 7 }, (_, i) => `n${i}`)
    await people('page-', [...names].reverse())
    const all = names.map((name) => `page-${name}@example.com`)
    const seen: string[] = []
    let cursor: string | null = null
    let pages = 0
    do {
      const page = await list({ prefix: ' PAGE-n ', limit: 3, ...(cursor && { cursor }) })
      expect(page.status).toBe(200)
      seen.push(...emails(page))
      cursor = page.nextCursor
      pages++
    } while (cursor)
    expect([seen, pages]).toEqual([all, 3])
    expect(emails(await list({ prefix: 'page-n3@example.com' }))).toEqual(['page-n3@example.com'])
    expect(await list({ prefix: 'page-nobody' })).toMatchObject({ status: 200, users: [], nextCursor: null })
  })

  test('reads signs as they are, and only from the beginning', async () => {
    await people('sign-', ['a_b', 'a.b', 'axb', 'a+b', 'kenny'])
    for (const name of ['a_', 'a.', 'a+']) expect(emails(await list({ prefix: `sign-${name}` }))).toHaveLength(1)
    for (const prefix of ['sign-a*', 'sign-a%', 'kenny', '@example.com', 'sign- kenny'])
      expect(emails(await list({ prefix }))).toEqual([])
  })

  test('continues after a user who moved to another address or was erased meanwhile', async () => {
    const { users } = operators.world.ports
    const [, bob = ''] = await people('move-', ['ada', 'bob', 'cid'])
    const { nextCursor } = await list({ prefix: 'move-', limit: 2 })
    const rest = () => list({ prefix: 'move-', cursor: nextCursor ?? '' })
    expect(emails(await rest())).toEqual(['move-cid@example.com'])
    await users.changeEmail(bob, 'move-bob@example.com', 'zoe-moved@example.com')
    expect(await rest()).toMatchObject({ status: 200, users: [], nextCursor: null })
    const { nowMs } = operators.world.clock
    await users.scheduleErasure(bob, iso(nowMs), nowMs)
    await users.anonymise(bob, nowMs)
    expect(await rest()).toMatchObject({ status: 400, message: expect.stringContaining('begin it again') })
  })

  test.each(['a%', "a'b", 'a\\', '*', 'é', ' ', 'a\u0000', '\uffff', '😀'])('takes %j as a text', async (prefix) => {
    expect((await list({ prefix })).status).toBe(200)
  })

  test('refuses a cursor that it did not make, a long text and an unknown filter', async () => {
    const wrong: [name: string, value: string][] = [
      ['cursor', 'abc'],
      ['prefix', 'a'.repeat(255)],
      ['plan', 'gold'],
      ['state', 'sad'],
    ]
    for (const [name, value] of wrong) expect((await list({ [name]: value })).status).toBe(400)
  })

  test('follows a user through trial, plan, cancellation and another address', async () => {
    const { users, trials } = operators.world.ports
    const [id = ''] = await people('plan-', ['ada'])
    const plans = async () => (await list({ prefix: 'plan-' })).users.map(({ plan }) => plan)
    const inPlan = async (plan: string) => emails(await list({ prefix: 'plan-', plan })).length
    expect([await plans(), await inPlan('none')]).toEqual([['none'], 1])

    const terms = { creditMicros: 1, hours: 1, budgetMicros: 10, perNetwork: 5, perDomain: 5 }
    const trial = newTrial(terms, operators.world.clock.nowMs)
    const user = { id, email: 'plan-ada@example.com' }
    expect(await trials.start({ user, trial, terms, network: '192.0.2.1' })).toBe(null)
    expect([await plans(), await inPlan('trial'), await inPlan('none')]).toEqual([['trial'], 1, 0])

    await users.setSubscription(id, { ...subscription('pro', 'active'), asOfSeconds: 1, replaces: null })
    expect([await plans(), await inPlan('pro'), await inPlan('trial')]).toEqual([['pro'], 1, 0])

    await users.changeEmail(id, 'plan-ada@example.com', 'plan-zoe@example.com')
    expect(emails(await list({ prefix: 'plan-' }))).toEqual(['plan-zoe@example.com'])

    await users.setSubscription(id, { ...subscription('pro', 'canceled'), asOfSeconds: 2, replaces: 'sub_1' })
    expect([await plans(), await inPlan('none'), await inPlan('pro')]).toEqual([['none'], 1, 0])
  })

  test('lists suspended users until the suspension ends, and not those who closed their account', async () => {
    const [ada = '', bob = ''] = await people('stop-', ['ada', 'bob'])
    const suspended = async () => emails(await list({ prefix: 'stop-', state: 'suspended' }))
    await operators.asOperator('POST', `/operator/users/${ada}/suspend`, { reason })
    await operators.world.ports.wallets.freeze(bob, closedReason, operators.world.clock.nowMs)
    expect(await suspended()).toEqual(['stop-ada@example.com'])
    expect((await list({ prefix: 'stop-' })).users.map((user) => user.suspended)).toEqual([true, false])
    expect(await list({ state: 'suspended', plan: 'pro', prefix: 'stop-' })).toMatchObject({ users: [] })
    await operators.asOperator('POST', `/operator/users/${ada}/unsuspend`, { reason })
    expect(await suspended()).toEqual([])
  })

  test('lists accounts that close, and forgets them once they are erased', async () => {
    const { users } = operators.world.ports
    const [id = ''] = await people('gone-', ['ada'])
    const { nowMs } = operators.world.clock
    await users.scheduleErasure(id, iso(nowMs + 1_000), nowMs)
    expect(emails(await list({ prefix: 'gone-', state: 'closing' }))).toEqual(['gone-ada@example.com'])
    await users.anonymise(id, nowMs + 1_000)
    expect(emails(await list({ prefix: 'gone-' }))).toEqual([])
    expect(emails(await list({ state: 'closing', limit: 50 }))).not.toContain(`${id.toLowerCase()}@erased.invalid`)
    expect(emails(await list({ prefix: id.toLowerCase() }))).toEqual([])
  })

  test('lists users by the state of their machine, page by page', async () => {
    const { world } = operators
    const awake = [await world.tenant({ deadlineMs: 1 }), await world.tenant({ deadlineMs: 1 })]
    const failed = await world.tenant({ state: 'failed' })
    const asleep = await world.tenant({ state: 'paused' })
    const ids = (page: Listed) => page.users.map(({ account }) => account.id)
    const first = await list({ state: 'awake', limit: 1 })
    const second = await list({ state: 'awake', limit: 1, cursor: first.nextCursor ?? '' })
    expect([...ids(first), ...ids(second)].sort()).toEqual(awake.map(({ userId }) => userId).sort())
    expect([second.nextCursor, second.complete]).toEqual([null, true])
    expect(ids(await list({ state: 'failed' }))).toEqual([failed.userId])
    const [row] = (await list({ prefix: asleep.userId.toLowerCase() })).users
    expect(row).toMatchObject({ machine: 'paused', suspended: false, eraseAt: null, balanceMicros: 0 })
  })

  test('makes the same requests to the store however many users there are', async () => {
    await people('few-', ['a'])
    await people(
      'many-',
      Array.from({ length: 40 }, (_, i) => `n${i}`),
    )
    const count = async (prefix: string) =>
      (await counted(() => list({ prefix }))).calls.map(({ operation }) => operation)
    const few = await count('few-')
    expect(await count('many-')).toEqual(few)
    expect(few).not.toContain('Scan')
  })

  test('is in the operators’ trail, without a part of an address', async () => {
    await list({ prefix: 'secret-name', plan: 'pro' })
    const [line] = await operators.trail(operatorsTrail)
    expect(line).toMatchObject({ operation: 'listUsers', record: 'users, pro, by address' })
    expect(JSON.stringify(line)).not.toContain('secret')
  })
})

describe('users and suspensions of an earlier release', () => {
  test('are listed after the backfill, which changes nothing the second time', async () => {
    const { world } = operators
    const [id = ''] = await people('old-', ['ada'])
    const { users, wallets } = world.ports
    await users.setSubscription(id, { ...subscription('starter', 'active'), asOfSeconds: 1, replaces: null })
    await wallets.freeze(id, reason, world.clock.nowMs)
    await change({ ...userAt(world.env.table('users'), id), update: 'REMOVE #listed' })
    expect((await list({ prefix: 'old-' })).users).toEqual([])
    const backfill = directoryBackfill(world.env)
    expect(await backfill.add(id, world.clock.nowMs)).toBe(true)
    expect(await backfill.add(id, world.clock.nowMs)).toBe(false)
    expect((await list({ prefix: 'old-', plan: 'starter', state: 'suspended' })).users).toMatchObject([
      { account: { id }, plan: 'starter', suspended: true },
    ])
    expect(await backfill.add('usr_nobody', world.clock.nowMs)).toBe(false)
  })
})

describe('getTotals', () => {
  test('returns machines, and the ledgers’ sums once a check of the books has finished', async () => {
    const { headers } = await operators.world.operator()
    const read = async () => (await operators.world.request({ path: '/operator/totals', headers })).body
    expect(await read()).toMatchObject({ machines: { awake: 2, failed: 1, complete: true }, ledger: null })
    const [id = ''] = await people('sum-', ['ada'])
    await operators.world.ports.wallets.creditOnce(
      id,
      'allowance#1',
      2_000_000,
      'subscription_credit',
      'Included',
      iso(operators.world.clock.nowMs - 1_000),
    )
    let finished = false
    while (!finished) {
      const { body } = await operators.asOperator('POST', '/operator/books', { reason })
      finished = (body.run as { finishedAt: string | null }).finishedAt !== null
    }
    expect(await read()).toMatchObject({
      ledger: {
        moneyInMicros: 12_000_000,
        planMicros: 12_000_000,
        marginMicros: 0,
        calls: 0,
        firstWord: { messages: 0 },
      },
    })
  })
})
