import { audit } from '../../../adapters/dynamo/audit.ts'
import { conversations } from '../../../adapters/dynamo/conversations.ts'
import { erasure } from '../../../adapters/dynamo/erasure.ts'
import { events } from '../../../adapters/dynamo/events.ts'
import { logins } from '../../../adapters/dynamo/logins.ts'
import { passkeys } from '../../../adapters/dynamo/passkeys.ts'
import { restorePoints } from '../../../adapters/dynamo/points.ts'
import { schedules } from '../../../adapters/dynamo/schedules.ts'
import { users } from '../../../adapters/dynamo/users.ts'
import { wallets } from '../../../adapters/dynamo/wallets.ts'
import { catalogue } from '../../../adapters/files/catalogue.ts'
import { deleteAccount, eraseDue } from '../../../domain/account/erase.ts'
import { openSession } from '../../../domain/account/sign-in.ts'
import { erasureGraceMs, recentSignInMs } from '../../../domain/account/user.ts'
import { newInstance } from '../../../domain/instance/life-cycle.ts'
import { personalTables, tables } from '../../../domain/resources.ts'
import { iso, minuteMs } from '../../../domain/time.ts'
import { accountArea } from '../../../lambdas/account/index.ts'
import { authArea } from '../../../lambdas/auth/index.ts'
import { type Doorway, openDoorway } from '../kit/doorway.ts'

let doorway: Doorway
let deps: ReturnType<typeof portsOf>
beforeAll(async () => {
  doorway = await openDoorway()
  deps = portsOf(doorway)
})
afterAll(() => doorway.close())

const mails: { to: string; subject: string }[] = []
const removedTimers: string[] = []

function portsOf({ ports, engine: { env } }: Doorway) {
  return {
    ...ports,
    audit: audit(env),
    bus: { publish: async () => {} },
    catalogue: { ...catalogue(env), skills: async () => [] },
    conversations: conversations(env),
    erasure: erasure(env),
    events: events(env),
    logins: logins(env),
    mail: { send: async (one: { to: string; subject: string }) => void mails.push(one) },
    passkeys: passkeys(env),
    restorePoints: restorePoints(env),
    schedules: schedules(env),
    timers: { set: async () => {}, remove: async (id: string) => void removedTimers.push(id) },
    users: users(env),
    wallets: wallets(env),
  }
}

let made = 0
async function newUser(atMs = doorway.clock.nowMs) {
  const email = `person${++made}@example.com`
  const { user } = await deps.users.findOrCreate(email, doorway.user(), atMs)
  const session = await doorway.session(user.id)
  await deps.wallets.open(user.id)
  return { user, email, ...session }
}

describe('a recent sign-in', () => {
  const asked = (method: string, path: string, headers: Record<string, string>) =>
    doorway.door([...accountArea.operations, ...authArea.operations], deps)({ method, path, headers })

  test('is wanted for exporting, deleting and passkeys: at ten minutes still, a moment later no more', async () => {
    const { headers } = await newUser()
    const start = doorway.clock.nowMs
    doorway.clock.nowMs = start + recentSignInMs
    expect((await asked('GET', '/account/export', headers)).status).toBe(200)
    doorway.clock.nowMs++
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
    doorway.clock.nowMs = start
  })
})

describe('a deleted account', () => {
  const delayed = async (by: number) => eraseDue(deps, doorway.clock.nowMs + by)

  test('is shut at once, also for who was signing in just then, and is whole for 30 days', async () => {
    const { user } = await newUser()
    const now = doorway.clock.nowMs
    const token = await doorway.bearer(['mcp:*'], user.id)
    await deleteAccount(deps, user, now)
    const straggler = await deps.sessions.open(user.id, now, 'a test')
    await delayed(minuteMs)
    expect(await deps.sessions.admit(straggler.cookie, 'read', now)).toMatchObject({ admitted: false })
    expect(await deps.tokens.admit(token.plaintext, 'read', now)).toMatchObject({ admitted: false })
    await delayed(erasureGraceMs - 1)
    expect(await deps.users.find(user.id)).toMatchObject({ email: user.email })
    expect(await deps.tokens.list(user.id)).toHaveLength(1)
  })

  test('stays when its owner signs in', async () => {
    const { user, email } = await newUser()
    await deleteAccount(deps, user, doorway.clock.nowMs)
    const found = (await deps.users.findOrCreate(email, 'usr_other', doorway.clock.nowMs)).user
    const { cookie } = await openSession(deps, found, 'a test', doorway.clock.nowMs + 5)
    await delayed(erasureGraceMs * 2)
    expect(await deps.users.find(user.id)).toMatchObject({ email, eraseAt: null })
    expect(await deps.sessions.admit(cookie, 'read', doorway.clock.nowMs)).toMatchObject({ admitted: true })
    expect(mails.filter(({ to }) => to === email).map(({ subject }) => subject)).toEqual([
      'Your Berth account will be deleted',
      'Your Berth account stays',
    ])
  })

  test('is erased after 30 days: machine and files first, then all but the ledger and the trail', async () => {
    const { user, email } = await newUser()
    const now = doorway.clock.nowMs
    const instance = newInstance({ instanceId: 'ins_1', userId: user.id }, 'starter', '1', now)
    await deps.instances.create(instance)
    await doorway.bearer(['mcp:*'], user.id)
    await deps.wallets.creditOnce(user.id, `gift#${user.id}`, 5_000_000, 'adjustment', 'A gift', iso(now))
    await deps.schedules.add(user.id, {
      id: 'sch_1',
      cron: '0 9 * * *',
      timeZone: 'UTC',
      text: 'hello',
      createdAt: iso(now),
      lastRun: null,
    })
    await deps.events.record(user.id, 'token.created', {})
    await deleteAccount(deps, user, now)
    expect(await deps.instances.find(user.id)).toMatchObject({ desiredState: 'paused' })

    await delayed(erasureGraceMs)
    expect(await deps.users.find(user.id)).toMatchObject({ email: `${user.id.toLowerCase()}@erased.invalid` })
    const doomed = await deps.instances.find(user.id)
    expect(doomed).toMatchObject({ state: 'deleting' })
    if (!doomed) throw new Error('unreachable')
    await deps.instances.save({ ...doomed, state: 'deleted', deadlineMs: null, version: doomed.version + 1 }, doomed)

    await delayed(erasureGraceMs + 60 * minuteMs)
    expect(await deps.instances.find(user.id)).toBeNull()
    expect(await deps.tokens.list(user.id)).toEqual([])
    expect(await deps.schedules.list(user.id)).toEqual([])
    expect(await deps.events.after(user.id, '', 10)).toEqual([])
    expect(removedTimers).toContain('sch_1')
    const ledger = await deps.wallets.transactions(user.id, { after: null, limit: 10 })
    expect(ledger.items).toMatchObject([{ amountMicros: 5_000_000 }])
    const trail = await deps.audit.list(user.id, { after: null, limit: 10 })
    expect(trail.items[0]).toMatchObject({ operation: 'eraseAccount', actor: { kind: 'service' } })
    expect(JSON.stringify([ledger, trail])).not.toContain(email)
    const again = await deps.users.findOrCreate(email, doorway.user(), now)
    expect(again.created).toBe(true)
    await delayed(erasureGraceMs * 3)
    expect((await deps.audit.list(user.id, { after: null, limit: 10 })).items).toHaveLength(trail.items.length)
  })

  test('every table says what becomes of a person’s data', () => {
    const kept = ['users', 'audit', 'wallets', 'logins', 'rates', 'rollouts']
    expect([...personalTables, ...kept].sort()).toEqual(Object.keys(tables).sort())
  })
})
