import { personalTables, tables } from '../../../adapters/dynamo/tables.ts'
import type { Ports } from '../../../adapters/ports.ts'
import { deleteAccount, eraseDue } from '../../../app/account/erase.ts'
import { openSession } from '../../../app/account/sign-in.ts'
import { type OutboxFor, outboxOf } from '../../../app/outbox/outbox.ts'
import { newInstance, transition } from '../../../domain/instance/life-cycle.ts'
import { erasureGraceMs, recentSignInMs } from '../../../domain/lifetimes.ts'

import { iso, minuteMs } from '../../../domain/time.ts'
import { accountArea } from '../../../lambdas/account/index.ts'
import { authArea } from '../../../lambdas/auth/index.ts'
import { openWorld, type World } from '../../world.ts'

let world: World
let deps: Ports
beforeAll(async () => {
  world = await openWorld({
    areas: [accountArea, authArea],
    ports: ['denials', 'erasure', 'restorePoints', 'runs', 'schedules', 'bus'],
  })
  deps = world.ports
})
afterAll(() => world.close())

const outboxForUser =
  (userId: string): OutboxFor =>
  (_record, followUps = []) =>
    outboxOf(deps, userId, followUps)

let made = 0
async function newUser(atMs = world.clock.nowMs) {
  const email = `person${++made}@example.com`
  const { user } = await deps.users.findOrCreate(email, world.newUserId(), atMs)
  const session = await world.session(user.id)
  await deps.wallets.open(user.id)
  return { user, email, ...session }
}

describe('a recent sign-in', () => {
  const asked = (method: string, path: string, headers: Record<string, string>) =>
    world.client([...accountArea.operations, ...authArea.operations])({ method, path, headers })

  test('is required for export, deletion and passkeys: enough at ten minutes, too old a moment later', async () => {
    const { headers } = await newUser()
    const start = world.clock.nowMs
    world.clock.nowMs = start + recentSignInMs
    expect((await asked('GET', '/account/export', headers)).status).toBe(200)
    world.clock.nowMs++
    for (const [method, path] of [
      ['GET', '/account/export'],
      ['DELETE', '/account'],
      ['POST', '/auth/passkeys/registration'],
      ['POST', '/auth/passkeys'],
      ['DELETE', '/auth/passkeys/{id}'],
    ] as const) {
      const { status, body } = await asked(method, path, headers)
      expect([status, body.error]).toEqual([403, 'forbidden'])
      expect(body.message).toContain('Sign in again')
    }
    expect((await asked('GET', '/account', headers)).status).toBe(200)
    world.clock.nowMs = start
  })
})

// https://github.com/ollama/ollama/issues/17682 and https://github.com/mastodon/mastodon/pull/12928
test('moving an account to another address signs out every device except the current one', async () => {
  const { user, headers } = await newUser()
  const asked = (by: Record<string, string>, method: string, path: string, body?: object) =>
    world.client([...accountArea.operations, ...authArea.operations])({ method, path, headers: by, body })
  const others = [await world.session(user.id), await world.session(user.id)]
  const stranger = await newUser()
  const email = `moved-${user.email}`
  expect((await asked(headers, 'PATCH', '/account', { email })).status).toBe(202)
  for (const { headers: by } of others) expect((await asked(by, 'GET', '/account')).status).toBe(200)
  const codeTo = (to: string) => /^\d{6}$/m.exec(world.cloud.cloud.mails(to)[0]?.text ?? '')?.[0]
  const codes = { currentCode: codeTo(user.email), newCode: codeTo(email) }
  expect((await asked(headers, 'PATCH', '/account', { email, ...codes })).status).toBe(200)
  for (const { headers: by } of others) expect((await asked(by, 'GET', '/account')).status).toBe(401)
  for (const by of [headers, stranger.headers]) expect((await asked(by, 'GET', '/account')).status).toBe(200)
})

describe('a deleted account', () => {
  const delayed = async (by: number) => eraseDue(deps, world.clock.nowMs + by)

  test('is closed at once, also for a concurrent sign-in, and complete for 30 days', async () => {
    const { user } = await newUser()
    const now = world.clock.nowMs
    const token = await world.bearer(['mcp:*'], user.id)
    await deleteAccount(deps, user, now, outboxForUser(user.id))
    const straggler = await deps.sessions.open(user.id, now, 'a test')
    await delayed(minuteMs)
    expect(await deps.sessions.authenticate(straggler.cookie, now)).toBeNull()
    expect(await deps.tokens.authenticate(token.plaintext, now)).toBeNull()
    await delayed(erasureGraceMs - 1)
    expect(await deps.users.find(user.id)).toMatchObject({ email: user.email })
    expect(await deps.tokens.list(user.id)).toHaveLength(1)
  })

  test('is restored when its owner signs in', async () => {
    const { user, email } = await newUser()
    await deleteAccount(deps, user, world.clock.nowMs, outboxForUser(user.id))
    const found = (await deps.users.findOrCreate(email, 'usr_other', world.clock.nowMs)).user
    const cookie = await openSession(deps, found, 'a test', world.clock.nowMs + 5)
    await delayed(erasureGraceMs * 2)
    expect(await deps.users.find(user.id)).toMatchObject({ email, eraseAt: null })
    expect(await deps.sessions.authenticate(cookie, world.clock.nowMs)).not.toBeNull()
    expect(world.cloud.cloud.mails(email).map(({ subject }) => subject)).toEqual([
      'Your Berth account will be deleted',
      'Your Berth account stays',
    ])
  })

  test('is erased after 30 days: machine and files first, then everything but the ledger and the audit trail', async () => {
    const { user, email } = await newUser()
    const now = world.clock.nowMs
    const instance = newInstance({ instanceId: 'ins_1', userId: user.id }, 'starter', '1', now)
    await deps.instances.create(instance)
    await world.bearer(['mcp:*'], user.id)
    await deps.wallets.creditOnce(user.id, `gift#${user.id}`, 5_000_000, 'adjustment', 'A gift', iso(now))
    await deps.schedules.add(
      user.id,
      {
        id: 'sch_1',
        cron: '0 9 * * *',
        timeZone: 'UTC',
        at: null,
        by: 'user' as const,
        text: 'hello',
        createdAt: iso(now),
        exact: false,
        paused: false,
        runs: [],
      },
      5,
    )
    await deps.events.record(user.id, 'token.created', {})
    await deleteAccount(deps, user, now, outboxForUser(user.id))
    expect(await deps.instances.find(user.id)).toMatchObject({ desiredState: 'paused' })

    await delayed(erasureGraceMs)
    expect(await deps.users.find(user.id)).toMatchObject({ email: `${user.id.toLowerCase()}@erased.invalid` })
    const doomed = await deps.instances.find(user.id)
    expect(doomed).toMatchObject({ state: 'deleting' })
    if (!doomed) throw new Error('unreachable')
    const { next: stopped } = transition(doomed, 'machine-stopped', 'user', world.clock.nowMs)
    await deps.instances.save({ ...stopped, state: 'deleted', deadlineMs: null }, doomed)
    const runs = async () => (await deps.runs.ended(user.id, { after: null, limit: 10 }, world.clock.nowMs)).items
    expect(await runs()).toMatchObject([{ generation: 1, endReason: 'deleted' }])

    await delayed(erasureGraceMs + 60 * minuteMs)
    expect(await deps.instances.find(user.id)).toBeNull()
    expect(await runs()).toEqual([])
    expect(await deps.tokens.list(user.id)).toEqual([])
    expect(await deps.schedules.list(user.id)).toEqual([])
    expect(await deps.events.after(user.id, 'evt_', 10)).toEqual([])
    const ledger = await deps.wallets.transactions(user.id, { after: null, limit: 10 })
    expect(ledger.items).toMatchObject([{ amountMicros: 5_000_000 }])
    const trail = await deps.audit.list(user.id, { after: null, limit: 10 })
    expect(trail.items[0]).toMatchObject({ operation: 'eraseAccount', actor: { kind: 'service' } })
    expect(JSON.stringify([ledger, trail])).not.toContain(email)
    const again = await deps.users.findOrCreate(email, world.newUserId(), now)
    expect(again.created).toBe(true)
    await delayed(erasureGraceMs * 3)
    expect((await deps.audit.list(user.id, { after: null, limit: 10 })).items).toHaveLength(trail.items.length)
  })

  test('is kept while an operator blocks its user, and erased after the block', async () => {
    const { user, email } = await newUser()
    await deleteAccount(deps, user, world.clock.nowMs, outboxForUser(user.id))
    const stop = async (stops: Parameters<typeof deps.denials.save>[0]['stops']) => {
      await deps.denials.save({ fields: {}, stops }, await deps.denials.find())
      await deps.denials.current(0)
    }
    await stop({ [`user#${user.id}`]: { reason: 'phishing', at: iso(world.clock.nowMs), by: null } })
    await delayed(erasureGraceMs)
    expect(await deps.users.find(user.id)).toMatchObject({ email })
    await stop({})
    await delayed(erasureGraceMs + 59 * minuteMs)
    expect(await deps.users.find(user.id)).toMatchObject({ email })
    await delayed(erasureGraceMs + 60 * minuteMs)
    expect(await deps.users.find(user.id)).toMatchObject({ email: expect.stringContaining('erased.invalid') })
  })

  test('every table declares how a person’s data is erased', () => {
    const kept = [
      'users',
      'audit',
      'wallets',
      'logins',
      'oauth',
      'rates',
      'rollouts',
      'denied',
      'connections',
      'console',
      'trials',
    ]
    expect([...personalTables, ...kept].sort()).toEqual(Object.keys(tables).sort())
  })
})
