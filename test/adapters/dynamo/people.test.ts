import { logins } from '../../../adapters/dynamo/account/logins.ts'
import { sessions } from '../../../adapters/dynamo/account/sessions.ts'
import { users } from '../../../adapters/dynamo/account/users.ts'
import { database } from '../../../adapters/dynamo/client.ts'
import { rates } from '../../../adapters/dynamo/rates/rates.ts'
import type { Logins } from '../../../app/tokens/ports.ts'
import { noSubscription, type Subscription } from '../../../domain/billing/subscription.ts'
import { loginCodeTtlMs, sessionTtlMs } from '../../../domain/lifetimes.ts'
import { iso } from '../../../domain/time.ts'
import { bucketName, bucketOf, limits, loginTries } from '../../../domain/tokens/rate-limits.ts'
import { counted, type Engine, type Fault, inject, startEngine } from '../engine.ts'

let engine: Engine
beforeAll(async () => {
  engine = await startEngine()
})
afterAll(() => engine.stop())

const now = Date.parse('2026-11-20T12:00:00.000Z')
const hour = 3_600_000
let made = 0
const newEmail = () => `ada${++made}@example.com`
const writes: Fault[] = ['before', 'after', 'throttled', 'conflict']

describe('sessions', () => {
  it('slide with every use, in one call', async () => {
    const port = sessions(engine.env)
    const { record, cookie } = await port.open('usr_1', now, 'Firefox on Linux')
    expect(cookie).toMatch(/^[\w-]{43}$/)
    expect(record).toMatchObject({ userId: 'usr_1', expiresAt: iso(now + sessionTtlMs) })
    const later = now + 20 * 24 * hour
    const { result, calls } = await counted(() => port.admit(cookie, 'read', later))
    expect(calls).toHaveLength(1)
    expect(result).toMatchObject({ admitted: true, record: { id: record.id, expiresAt: iso(later + sessionTtlMs) } })
    expect(await port.admit(cookie, 'read', later + sessionTtlMs - 1)).toMatchObject({ admitted: true })
    const end = later + 2 * sessionTtlMs - 1
    expect(await port.admit(cookie, 'read', end)).toEqual({ admitted: false, because: 'unknown' })
  })

  it('end when they are closed, twice without harm', async () => {
    const port = sessions(engine.env)
    const { record, cookie } = await port.open('usr_1', now, 'Firefox on Linux')
    await port.close('usr_1', record.id)
    await port.close('usr_1', record.id)
    expect(await port.admit(cookie, 'read', now)).toEqual({ admitted: false, because: 'unknown' })
    expect(await port.admit('nobody’s cookie', 'read', now)).toEqual({ admitted: false, because: 'unknown' })
  })
})

describe('rates', () => {
  it('admit exactly the limit of parallel strangers, each on its own count', async () => {
    const port = rates(engine.env)
    const asked = Array.from({ length: limits.login + 20 }, () => port.admit('login#192.0.2.1', 'login', now))
    const answers = await Promise.all(asked)
    expect(answers.filter(({ admitted }) => admitted)).toHaveLength(limits.login)
    const counts = { [bucketName('login', bucketOf(now))]: limits.login }
    expect(answers.find(({ admitted }) => !admitted)).toMatchObject({ because: 'limited', counts })
    const { result, calls } = await counted(() => port.admit('login#192.0.2.2', 'login', now))
    expect([result.admitted, calls.length]).toEqual([true, 1])
  })
})

describe('login codes', () => {
  /** Asks for a code and answers it; a link's token when codes are over for the day. */
  const issued = async (port: Logins, email: string, at = now) => (await port.issue(email, at))?.secret ?? 'none'
  const wrong = (code: string, i = 1) => String((Number(code) + i) % 1_000_000).padStart(6, '0')

  it('let in once, with the right code, in time', async () => {
    const port = logins(engine.env)
    const email = newEmail()
    expect(await port.redeem(email, '123456', now)).toBe(false)
    const code = await issued(port, email)
    expect(code).toMatch(/^\d{6}$/)
    expect(await port.redeem(email, wrong(code), now)).toBe(false)
    expect(await port.redeem(newEmail(), code, now)).toBe(false)
    expect(await port.redeem(email, code, now)).toBe(true)
    expect(await port.redeem(email, code, now)).toBe(false)
    const late = await issued(port, email)
    expect(await port.redeem(email, late, now + loginCodeTtlMs)).toBe(false)
  })

  it('let in one of many who bring the right code at once', async () => {
    const port = logins(engine.env)
    const email = newEmail()
    const code = await issued(port, email)
    const tries = await Promise.all(Array.from({ length: 5 }, () => port.redeem(email, code, now)))
    expect(tries.filter(Boolean)).toHaveLength(1)
  })

  it('allow five tries, however many come at once; a new code brings five more', async () => {
    const port = logins(engine.env)
    const email = newEmail()
    const first = await issued(port, email)
    await Promise.all(Array.from({ length: 40 }, (_, i) => port.redeem(email, wrong(first, i + 1), now)))
    expect(await port.redeem(email, first, now)).toBe(false)
    const second = await issued(port, email)
    for (let i = 1; i < loginTries; i++) expect(await port.redeem(email, wrong(second, i), now)).toBe(false)
    expect(await port.redeem(email, second, now)).toBe(true)
  })

  it('give way to a link after ten wrong ones in a day, which no number of tries takes away', async () => {
    const port = logins(engine.env)
    const email = newEmail()
    for (let round = 0; round < 2; round++) {
      const code = await issued(port, email)
      for (let i = 1; i <= loginTries; i++) await port.redeem(email, wrong(code, i), now)
    }
    const link = await port.issue(email, now)
    expect(link).toEqual({ kind: 'link', secret: expect.stringMatching(/^[\w-]{22}$/) })
    for (let i = 0; i < 20; i++) expect(await port.redeem(email, `${i}`.padStart(22, 'x'), now)).toBe(false)
    expect(await port.redeem(email, '123456', now)).toBe(false)
    const tries = await Promise.all(Array.from({ length: 5 }, () => port.redeem(email, link?.secret ?? '', now)))
    expect(tries.filter(Boolean)).toHaveLength(1)
    expect(await port.issue(email, now + 24 * hour)).toMatchObject({ kind: 'code' })
  })

  it('right codes are no wrong ones: signing in often brings no link', async () => {
    const port = logins(engine.env)
    const email = newEmail()
    for (let i = 0; i < 11; i++)
      expect(await port.redeem(email, await issued(port, email, now + i * hour), now + i * hour)).toBe(true)
    expect(await port.issue(email, now + 11 * hour)).toMatchObject({ kind: 'code' })
  })

  it('are mailed five times an hour and twenty times a day at most', async () => {
    const port = logins(engine.env)
    const email = newEmail()
    const burst = await Promise.all(Array.from({ length: 9 }, () => port.issue(email, now)))
    expect(burst.filter(Boolean)).toHaveLength(5)
    expect(await port.issue(email, now + hour - 1)).toBeNull()
    for (let i = 1; i <= 15; i++) expect(await port.issue(email, now + i * hour)).toMatchObject({ kind: 'code' })
    expect(await port.issue(email, now + 20 * hour)).toBeNull()
    expect(await port.issue(email, now + 24 * hour)).not.toBeNull()
  })

  it('keep a hash alone', async () => {
    const port = logins(engine.env)
    const email = newEmail()
    const code = await issued(port, email)
    const { GetItemCommand } = await import('@aws-sdk/client-dynamodb')
    const { Item } = await database().send(new GetItemCommand({ TableName: 'logins', Key: { email: { S: email } } }))
    expect(Item?.hash?.S).toHaveLength(43)
    expect(JSON.stringify(Item)).not.toContain(`"${code}"`)
  })

  it.each(writes)('survive a request that meets "%s"', async (fault) => {
    const port = logins(engine.env)
    for (const nth of [0, 1]) {
      const email = newEmail()
      inject(fault, nth)
      const code = await issued(port, email)
      expect(code).toMatch(/^\d{6}$/)
      inject(fault, nth)
      expect(await port.redeem(email, code, now)).toBe(true)
    }
  })
})

describe('users', () => {
  const active: Subscription = { status: 'active', plan: 'pro', currentPeriodEnd: iso(now), cancelAtPeriodEnd: false }

  it('are one for an address, even when two come at once', async () => {
    const port = users(engine.env)
    const email = newEmail()
    const made = await Promise.all(
      Array.from({ length: 8 }, (_, i) => port.findOrCreate(email, `usr_${email}${i}`, now)),
    )
    expect(new Set(made.map(({ user }) => user.id)).size).toBe(1)
    expect(made.filter(({ created }) => created)).toHaveLength(1)
    const again = await port.findOrCreate(email, 'usr_other', now + 1)
    expect(again).toEqual({ user: made[0]?.user, created: false })
    expect(await port.find(again.user.id)).toEqual(again.user)
    expect(await port.find('usr_other')).toBeNull()
  })

  it.each(writes)('are made once when a request meets "%s"', async (fault) => {
    const port = users(engine.env)
    for (const nth of [0, 1]) {
      const email = newEmail()
      inject(fault, nth)
      expect(await port.findOrCreate(email, `usr_${email}`, now)).toMatchObject({ created: true })
      expect(await port.findOrCreate(email, 'usr_other', now)).toMatchObject({ user: { id: `usr_${email}` } })
    }
  })

  it('take the newest subscription event, in whatever order events come', async () => {
    const port = users(engine.env)
    const { user } = await port.findOrCreate(newEmail(), 'usr_subscriber', now)
    expect(user.subscription).toEqual(noSubscription)
    const change = (status: Subscription['status'], asOfSeconds: number, replaces: string | null = 'sub_1') =>
      port.setSubscription(user.id, {
        subscription: { ...active, status },
        subscriptionId: 'sub_1',
        asOfSeconds,
        replaces,
      })
    expect(await change('active', 99)).toBe(false)
    expect(await change('active', 100, null)).toBe(true)
    expect(await change('active', 101, null)).toBe(false)
    expect(await change('past_due', 99)).toBe(false)
    expect(await change('past_due', 101)).toBe(true)
    const another = { subscription: active, subscriptionId: 'sub_2', asOfSeconds: 1 }
    expect(await port.setSubscription(user.id, { ...another, replaces: 'sub_0' })).toBe(false)
    expect(await port.setSubscription('usr_nobody', { ...another, replaces: null })).toBe(false)
    await port.setCustomer(user.id, 'cus_1')
    await port.setCustomer('usr_nobody', 'cus_1')
    expect(await port.find(user.id)).toMatchObject({
      subscription: { status: 'past_due' },
      subscriptionAsOf: 101,
      customerId: 'cus_1',
    })
    expect(await port.find('usr_nobody')).toBeNull()
    expect(await change('canceled', 1)).toBe(true)
    expect(await change('active', 200)).toBe(false)
    expect(await port.setSubscription(user.id, { ...another, replaces: 'sub_1' })).toBe(true)
    expect(await port.find(user.id)).toMatchObject({ subscriptionId: 'sub_2', subscription: { status: 'active' } })
  })
})
