import { logins } from '../../../adapters/dynamo/account/logins.ts'
import { sessions } from '../../../adapters/dynamo/account/sessions.ts'
import { users } from '../../../adapters/dynamo/account/users.ts'
import { database } from '../../../adapters/dynamo/client.ts'
import { rates } from '../../../adapters/dynamo/rates/rates.ts'
import type { Logins } from '../../../app/ports/account.ts'
import { type Asker, codeTries, networkCodesPerDay } from '../../../domain/account/sign-in-limits.ts'
import { noSubscription, type Subscription } from '../../../domain/billing/subscription.ts'
import { loginCodeTtlMs, loginLinkTtlMs, sessionTtlMs, useNotedMs } from '../../../domain/lifetimes.ts'
import { bucketName, bucketOf, limits } from '../../../domain/rates/rate-limits.ts'
import { iso } from '../../../domain/time.ts'
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

describe('a session', () => {
  it('is extended by use, which is recorded once in five minutes', async () => {
    const port = sessions(engine.env)
    const { record, cookie } = await port.open('usr_1', now, 'Firefox on Linux')
    expect(cookie).toMatch(/^[\w-]{43}$/)
    expect(record).toMatchObject({ userId: 'usr_1', expiresAt: iso(now + sessionTtlMs) })
    const later = now + 20 * 24 * hour
    const { result, calls } = await counted(() => port.authenticate(cookie, later))
    expect(calls.map(({ operation }) => operation)).toEqual(['GetItem', 'UpdateItem'])
    expect(result).toMatchObject({ id: record.id, lastSeenAt: iso(later), expiresAt: iso(later + sessionTtlMs) })
    const soon = await counted(() => port.authenticate(cookie, later + useNotedMs - 1))
    expect(soon.calls.map(({ operation }) => operation)).toEqual(['GetItem'])
    expect(soon.result).toEqual(result)
    expect(await port.authenticate(cookie, later + sessionTtlMs - 1)).not.toBeNull()
    expect(await port.authenticate(cookie, later + 2 * sessionTtlMs - 1)).toBeNull()
  })

  it('ends when it is closed; a second close is harmless', async () => {
    const port = sessions(engine.env)
    const { record, cookie } = await port.open('usr_1', now, 'Firefox on Linux')
    await port.close('usr_1', record.id)
    await port.close('usr_1', record.id)
    expect(await port.authenticate(cookie, now)).toBeNull()
    expect(await port.authenticate('nobody’s cookie', now)).toBeNull()
  })
})

describe('rate limits', () => {
  it('admit exactly the limit of parallel strangers, each with a separate count', async () => {
    const port = rates(engine.env)
    const stranger = (id: string) => ({ by: 'stranger', operation: 'login', id }) as const
    const asked = Array.from({ length: limits.login + 20 }, () => port.admit(stranger('192.0.2.1'), 'login', now))
    const answers = await Promise.all(asked)
    expect(answers.filter(({ admitted }) => admitted)).toHaveLength(limits.login)
    const counts = { [bucketName('login', bucketOf(now))]: limits.login }
    expect(answers.find(({ admitted }) => !admitted)).toMatchObject({ because: 'limited', counts })
    const { result, calls } = await counted(() => port.admit(stranger('192.0.2.2'), 'login', now))
    expect([result.admitted, calls.length]).toEqual([true, 1])
  })
})

describe('a sign-in e-mail', () => {
  const stranger = (id = '192.0.2.1'): Asker => ({ share: 'strangers', id })
  const owner = (id = 'brw_1'): Asker => ({ share: 'own', id })
  const networks = (count: number) => Array.from({ length: count }, (_, i) => `198.51.100.${i}`)
  const wrong = (code: string, i = 1) => String((Number(code) + i) % 1_000_000).padStart(6, '0')

  /** Requests an e-mail that has a code. */
  async function coded(port: Logins, email: string, asker = stranger(), at = now) {
    const { attempt, mail } = await port.issue(email, asker, at)
    if (!mail?.code) throw new Error('no code was mailed')
    return { attempt, code: mail.code, token: mail.token }
  }

  it('signs in once, by the code or the link, before it expires', async () => {
    const port = logins(engine.env)
    const email = newEmail()
    expect(await port.redeemCode(email, ['x'], '123456', now)).toBe(false)
    const [first, second] = [await coded(port, email), await coded(port, email)]
    const both = [second.attempt, first.attempt]
    expect(await port.redeemCode(email, both, wrong(first.code), now)).toBe(false)
    expect(await port.redeemCode(newEmail(), both, first.code, now)).toBe(false)
    expect(await port.redeemCode(email, both, first.code, now + loginCodeTtlMs - 1)).toBe(true)
    expect(await port.redeemCode(email, both, first.code, now)).toBe(false)
    expect(await port.redeemLink(email, first.token, now)).toBe(false)
    expect(await port.redeemCode(email, both, second.code, now + loginCodeTtlMs)).toBe(false)
    expect(await port.redeemLink(newEmail(), second.token, now)).toBe(false)
    expect(await port.redeemLink(email, second.token, now + loginLinkTtlMs - 1)).toBe(true)
    expect(await port.redeemLink(email, second.token, now)).toBe(false)
    const late = await coded(port, email)
    expect(await port.redeemLink(email, late.token, now + loginLinkTtlMs)).toBe(false)
  })

  it('signs in one of many concurrent attempts with the right code and link', async () => {
    const port = logins(engine.env)
    const email = newEmail()
    const { attempt, code, token } = await coded(port, email)
    const tries = Array.from({ length: 3 }, () => [
      port.redeemCode(email, [attempt], code, now),
      port.redeemLink(email, token, now),
    ])
    expect((await Promise.all(tries.flat())).filter(Boolean)).toHaveLength(1)
  })

  it('has five tries for its code, however many run at once, from the requesting browser only', async () => {
    const port = logins(engine.env)
    const email = newEmail()
    const [mine, theirs] = [await coded(port, email), await coded(port, email, stranger('192.0.2.2'))]
    const guess = (i: number) => port.redeemCode(email, [theirs.attempt], wrong(theirs.code, i + 1), now)
    await Promise.all(Array.from({ length: 40 }, (_, i) => guess(i)))
    expect(await port.redeemCode(email, [theirs.attempt], theirs.code, now)).toBe(false)
    for (let i = 1; i < codeTries; i++)
      expect(await port.redeemCode(email, [mine.attempt], wrong(mine.code, i), now)).toBe(false)
    expect(await port.redeemCode(email, [mine.attempt], mine.code, now)).toBe(true)
    expect(await port.redeemLink(email, theirs.token, now)).toBe(true)
  })

  it('has only a link for strangers after four unused codes in a day; the owner’s browser still gets codes', async () => {
    const port = logins(engine.env)
    const email = newEmail()
    for (let i = 0; i < 4; i++) await coded(port, email)
    expect((await port.issue(email, stranger(), now)).mail).toMatchObject({ code: null })
    await coded(port, email, owner())
    await coded(port, email, stranger(), now + 24 * hour)
  })

  it('still has a code after many successful sign-ins', async () => {
    const port = logins(engine.env)
    const email = newEmail()
    for (let i = 0; i < 25; i++) {
      const { attempt, code } = await coded(port, email)
      expect(await port.redeemCode(email, [attempt], code, now)).toBe(true)
    }
  })

  it('is limited only while an unused link is valid: five an hour per requester, ten for all strangers, then one an hour', async () => {
    const port = logins(engine.env)
    const email = newEmail()
    const sent = async (asker: Asker, at = now) => (await port.issue(email, asker, at)).mail
    const burst = await Promise.all(Array.from({ length: 9 }, () => sent(stranger())))
    expect(burst.filter(Boolean)).toHaveLength(5)
    for (const id of networks(20)) await sent(stranger(id))
    expect(await sent(stranger('192.0.2.9'))).toBeNull()
    expect(await port.redeemLink(email, burst.find(Boolean)?.token ?? '', now)).toBe(true)
    expect(await sent(stranger('192.0.2.9'))).not.toBeNull()
    for (let i = 0; i < 5; i++) expect(await sent(owner())).not.toBeNull()
    expect(await sent(owner())).toBeNull()
    expect(await sent(owner('brw_2'))).not.toBeNull()
    for (const id of networks(20)) await sent(stranger(id), now + hour)
    const hourly = await Promise.all(networks(20).map((id) => sent(stranger(id), now + 2 * hour)))
    expect(hourly.filter(Boolean)).toHaveLength(1)
  })

  it('with a code is sent at most twenty times a day to one network, for all addresses together', async () => {
    const port = logins(engine.env)
    for (let i = 0; i < networkCodesPerDay; i++) await coded(port, newEmail(), stranger('203.0.113.9'))
    const { mail } = await port.issue(newEmail(), stranger('203.0.113.9'), now)
    expect(mail).toMatchObject({ code: null })
    await coded(port, newEmail(), stranger('203.0.113.10'))
  })

  it('is stored only as hashes', async () => {
    const port = logins(engine.env)
    const { attempt, code, token } = await coded(port, newEmail())
    const { ScanCommand } = await import('@aws-sdk/client-dynamodb')
    const { Items } = await database().send(new ScanCommand({ TableName: 'logins' }))
    for (const secret of [attempt, token, `"${code}"`]) expect(JSON.stringify(Items)).not.toContain(secret)
  })

  it.each(writes)('survives a request that fails with "%s"', async (fault) => {
    const port = logins(engine.env)
    for (const nth of [0, 1]) {
      const email = newEmail()
      inject(fault, nth)
      const { attempt, code, token } = await coded(port, email)
      inject(fault, nth)
      expect(await port.redeemCode(email, [attempt], code, now)).toBe(true)
      expect(await port.redeemLink(email, token, now)).toBe(false)
    }
  })
})

describe('a user', () => {
  const active: Subscription = { status: 'active', plan: 'pro', currentPeriodEnd: iso(now), cancelAtPeriodEnd: false }

  it('is one per address, even with two concurrent sign-ins', async () => {
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

  it.each(writes)('is created once when a request fails with "%s"', async (fault) => {
    const port = users(engine.env)
    for (const nth of [0, 1]) {
      const email = newEmail()
      inject(fault, nth)
      expect(await port.findOrCreate(email, `usr_${email}`, now)).toMatchObject({ created: true })
      expect(await port.findOrCreate(email, 'usr_other', now)).toMatchObject({ user: { id: `usr_${email}` } })
    }
  })

  it('keeps the newest subscription event, in whatever order events arrive', async () => {
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
