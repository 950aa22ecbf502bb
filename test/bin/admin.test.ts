import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { jest } from '@jest/globals'
import { audit } from '../../adapters/dynamo/account/audit.ts'
import { logins } from '../../adapters/dynamo/account/logins.ts'
import { userAt, users } from '../../adapters/dynamo/account/users.ts'
import { change } from '../../adapters/dynamo/calls.ts'
import { events } from '../../adapters/dynamo/chat/events.ts'
import { instances } from '../../adapters/dynamo/instance/instances.ts'
import { rollouts } from '../../adapters/dynamo/instance/rollouts.ts'
import { denials } from '../../adapters/dynamo/models/denials.ts'
import { directory } from '../../adapters/dynamo/operator/directory.ts'
import { walletAt } from '../../adapters/dynamo/wallet/item.ts'
import { wallets } from '../../adapters/dynamo/wallet/wallets.ts'
import { noteReturned } from '../../app/account/note-returned.ts'
import { noReturnedMails } from '../../domain/account/returned-mail.ts'
import { newCheckout } from '../../domain/billing/checkout.ts'
import { shardOf } from '../../domain/ids.ts'
import { newInstance } from '../../domain/instance/life-cycle.ts'
import { listedPlans } from '../../domain/operator/listed-user.ts'
import { iso } from '../../domain/time.ts'
import { fresh, now, type World, walletWorld } from '../adapters/dynamo/wallet-world.ts'
import { compiled, some } from '../counts.ts'

let world: World
const dataDir = mkdtempSync(join(tmpdir(), 'berth-admin-'))
beforeAll(async () => {
  world = await walletWorld()
  mkdirSync(join(dataDir, 'data'))
  writeFileSync(join(dataDir, 'data', 'dynamodb.endpoint'), process.env.AWS_ENDPOINT_URL_DYNAMODB ?? '')
})
afterAll(async () => {
  await world.close()
  rmSync(dataDir, { recursive: true })
})

/** Runs the command as `npm run admin` does: in a process of its own. */
async function adminProcess(...args: string[]): Promise<{ code: number | null; out: string }> {
  const env = { ...compiled, PATH: process.env.PATH, DATA_DIR: dataDir, USER: 'ada' }
  const child = spawn(process.execPath, ['bin/admin.ts', ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const code = new Promise<number | null>((resolve) => child.once('exit', resolve))
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)])
  return { code: await code, out: `${out}${err}` }
}

let runs = 0
/** Runs the command in this process, because a new process would load all modules again. */
async function admin(...args: string[]): Promise<{ code: number; out: string }> {
  let out = ''
  const say = (line: unknown) => {
    out += `${line}\n`
  }
  const spies = [
    jest.spyOn(console, 'log').mockImplementation(say),
    jest.spyOn(console, 'error').mockImplementation(say),
  ]
  Object.assign(process.env, { DATA_DIR: dataDir, USER: 'ada' })
  process.argv = [process.execPath, 'bin/admin.ts', ...args]
  try {
    await import(`../../bin/admin.ts?run=${++runs}`)
    return { code: Number(process.exitCode ?? 0), out }
  } finally {
    process.exitCode = undefined
    for (const spy of spies) spy.mockRestore()
  }
}

/** A user who has no money yet. */
async function somebody(): Promise<string> {
  const userId = fresh('usr')
  await users(world.env).findOrCreate(`${userId.toLowerCase()}@example.com`, userId, now)
  return userId
}

/** Types of the events in a user's streams. */
const toldTo = async (userId: string) => (await events(world.env).after(userId, 'evt_0', 100)).map(({ type }) => type)

/** Changes a wallet without a ledger entry. */
const corrupt = (userId: string, available: number) =>
  change({ ...walletAt('wallets', userId), update: 'SET #available = :wrong', values: { ':wrong': available } })

describe('npm run admin', () => {
  it('checks all books, fails on a difference, and rebuilds a wallet from its ledger', async () => {
    const userId = await world.richUser(1_000)
    await world.hold(userId, 400)
    await world.richUser(70)
    expect(await admin('books')).toMatchObject({ code: 0, out: expect.stringContaining('2 wallets, 0 that differ') })
    await corrupt(userId, 999)
    const found = await admin('books')
    expect(found.code).toBe(1)
    expect(found.out).toContain(`${userId}: available is 999, must be 600`)
    expect((await admin('wallet', 'rebuild', userId)).out).toContain('--reason')
    expect(await admin('wallet', 'rebuild', userId, '--reason', 'broken by hand')).toMatchObject({ code: 0 })
    expect((await world.checked(userId)).available).toBe(600)
    expect(await toldTo(userId)).toEqual(['wallet.changed'])
    expect((await admin('books')).code).toBe(0)
  })

  it('adds users and suspensions of an earlier release to the operators’ list', async () => {
    const [userId, other] = [await somebody(), await somebody()]
    await change({ ...userAt('users', userId), update: 'REMOVE #listed' })
    await wallets(world.env).freeze(other, 'an earlier release', now)
    expect((await admin('directory')).out).toMatch(/\d+ users, 2 added or corrected\./)
    const { byAddress, inState } = directory(world.env)
    const range = { plans: listedPlans, prefix: userId.toLowerCase(), after: null, limit: 2 }
    expect(await byAddress(range)).toEqual([userId])
    expect((await inState('suspended')).ids).toContain(other)
    expect((await admin('directory')).out).toContain('0 added or corrected.')
    expect(await admin('unsuspend', other, '--reason', 'it was an error')).toMatchObject({ code: 0 })
    expect((await inState('suspended')).ids).not.toContain(other)
  })

  it('credits and adjusts once per key, and records the reason in the owner’s audit trail', async () => {
    const userId = await somebody()
    const credit = () => admin('credit', userId, '500', '--reason', 'sorry', '--key', 'one')
    expect((await credit()).code).toBe(0)
    expect((await credit()).out).toContain('an earlier run with this key')
    await admin('adjust', userId, '-700', '--reason', 'counted twice')
    expect(await world.checked(userId)).toMatchObject({ available: 0, owed: 2_000_000 })
    const { items } = await audit(world.env).list(userId, { after: null, limit: 10 })
    expect(items).toMatchObject([
      { operation: 'admin.adjust', reason: 'counted twice', actor: { kind: 'operator', id: 'ada' } },
      { operation: 'admin.credit', reason: 'sorry' },
    ])
    expect(await toldTo(userId)).toEqual(['wallet.credited', 'wallet.charged'])
  })

  it('takes a payment back, suspends a wallet and lifts the suspension', async () => {
    const userId = await somebody()
    await world.port.creditOnce(userId, 'allowance#1', 2_000_000, 'subscription_credit', 'Included', iso(now))
    await admin('refund', userId, 'allowance#1', '900', '--reason', 'asked for it')
    expect((await world.checked(userId)).total).toBe(0)
    const page = newCheckout(fresh('chk'), { userId, kind: 'topup', amountMicros: 5_000_000 }, now)
    await world.ports.checkouts.create(page)
    const unpaid = await admin('refund', userId, page.id, '500', '--reason', 'mistaken')
    expect(unpaid).toMatchObject({ code: 2, out: expect.stringContaining('credited nothing') })
    expect((await world.checked(userId)).total).toBe(0)
    await admin('suspend', userId, '--reason', 'stolen card')
    expect((await world.port.read(userId)).frozen).toBe('stolen card')
    await admin('unsuspend', userId, '--reason', 'cleared')
    expect((await world.port.read(userId)).frozen).toBeNull()
    expect(await toldTo(userId)).toEqual(['wallet.charged', 'wallet.changed', 'wallet.changed'])
  })

  it('shows the users for whom a halted image failed, and resumes its rollout', async () => {
    const images = rollouts(world.env)
    const unused = await images.find('7')
    await images.save({ ...unused, state: 'halted', healthy: 9, failed: { usr_1: 3 } }, unused)
    const halted = '7 is halted: 9 healthy, 0 trying, 1 failed\n  usr_1'
    expect(await admin('rollout', 'show', '7')).toMatchObject({ code: 0, out: expect.stringContaining(halted) })
    expect((await admin('rollout', 'resume', '7')).out).toContain('7 is rolling: 9 healthy')
    expect(await images.find('7')).toMatchObject({ state: 'rolling', healthy: 9, failed: {} })
    expect(await admin('rollout', 'resume', '8')).toMatchObject({
      code: 2,
      out: expect.stringContaining('No machine has tried'),
    })
  })

  it('denies a field of model calls and allows it again', async () => {
    const denied = denials(world.env)
    expect((await admin('models', 'denied')).out).toContain('Nothing is blocked.')
    expect(await admin('models', 'deny', 'turbo')).toMatchObject({ code: 2, out: expect.stringContaining('--reason') })
    expect(await admin('models', 'deny', 'turbo', '--reason', 'costs twice')).toMatchObject({ code: 0 })
    expect((await admin('models', 'denied')).out).toContain('turbo: costs twice')
    expect((await denied.current()).fields).toEqual(new Set(['turbo']))
    expect(await denied.save({ fields: {}, stops: {} }, { revision: 0 })).toBe(false)
    await admin('models', 'allow', 'turbo')
    expect((await denied.find()).fields).toEqual({})
  })

  it('blocks a model, a provider, a user or all, records it in the audit trails, and unblocks them', async () => {
    const userId = await somebody()
    const { find } = denials(world.env)
    const trailOf = async (whose: string) =>
      (await audit(world.env).list(whose, { after: null, limit: 10 })).items.map(
        ({ operation, record, reason, actor }) => [operation, record, reason, actor.id],
      )
    expect((await admin('stops')).out).toContain('Nothing is blocked.')
    expect(await admin('stop', 'all')).toMatchObject({ code: 2, out: expect.stringContaining('--reason') })
    for (const wrong of [['stop'], ['stop', 'everything'], ['stop', 'model'], ['stop', 'all', 'of it']])
      expect(await admin(...wrong, '--reason', 'x')).toMatchObject({
        code: 2,
        out: expect.stringContaining('Name one'),
      })
    await admin('models', 'deny', 'turbo', '--reason', 'costs twice')
    expect((await admin('stop', 'all', '--reason', 'leaking')).out).toContain('within 15 s')
    expect((await admin('stop', 'all', '--reason', 'leaking')).out).toContain('was already blocked')
    expect((await admin('stop', 'user', userId, '--reason', 'spam')).code).toBe(0)
    expect((await admin('stop', 'model', 'local/nothing', '--reason', 'x')).out).toContain('check the name')
    expect((await admin('stop', 'provider', 'openai', '--reason', 'x')).out).not.toContain('check the name')
    expect(Object.keys((await find()).stops).sort()).toEqual([
      'all',
      'model#local/nothing',
      'provider#openai',
      `user#${userId}`,
    ])
    expect((await admin('stops')).out).toContain(`user ${userId} since 20`)
    for (const what of [['model', 'local/nothing'], ['provider', 'openai'], ['user', userId], ['all']])
      expect((await admin('resume', ...what, '--reason', 'mended')).out).toContain('allowed again')
    expect(await find()).toMatchObject({ fields: { turbo: 'costs twice' }, stops: {} })
    expect(await trailOf(userId)).toEqual([
      ['admin.resume', `user#${userId}`, 'mended', 'ada'],
      ['admin.stop', `user#${userId}`, 'spam', 'ada'],
    ])
    expect(await trailOf('operators')).toEqual(expect.arrayContaining([['admin.stop', 'all', 'leaking', 'ada']]))
    await admin('models', 'allow', 'turbo')
  })

  it('takes an account down: suspends it, stops and deletes its machine, and keeps its data', async () => {
    const userId = await world.richUser(1_000)
    await users(world.env).findOrCreate(`${userId.toLowerCase()}@example.com`, userId, now)
    const machines = instances(world.env)
    const made = newInstance({ instanceId: fresh('ins'), userId }, 'starter', '1', now)
    await machines.create({ ...made, state: 'running', taskArn: 'task-1' })
    expect(await admin('takedown', userId)).toMatchObject({ code: 2, out: expect.stringContaining('--reason') })
    expect((await machines.find(userId))?.state).toBe('running')
    const done = await admin('takedown', userId, '--reason', 'phishing')
    expect(done).toMatchObject({ code: 0, out: expect.stringContaining('stopped within two minutes') })
    expect(await machines.find(userId)).toMatchObject({ state: 'pausing', desiredState: 'paused' })
    expect((await machines.overdue(shardOf(userId), Date.now())).length).toBe(1)
    expect((await world.port.read(userId)).frozen).toBe('phishing')
    expect((await denials(world.env).find()).stops).toMatchObject({ [`user#${userId}`]: { reason: 'phishing' } })
    const { items } = await audit(world.env).list(userId, { after: null, limit: 10 })
    expect(items.map(({ operation, reason }) => `${operation}: ${reason}`).sort()).toEqual([
      'admin.machine.stop: phishing',
      'admin.stop: phishing',
      'admin.suspend: phishing',
    ])
    expect(await toldTo(userId)).toEqual(['wallet.changed', 'instance.state_changed'])
    expect((await admin('takedown', userId, '--reason', 'phishing')).out).toContain('The account was already blocked.')
    await admin('resume', 'user', userId, '--reason', 'mistaken')
  })

  it('changes nothing without a reason or with a wrong amount', async () => {
    const userId = await world.richUser(10)
    expect(await admin('credit', userId, '500')).toMatchObject({ code: 2, out: expect.stringContaining('--reason') })
    for (const amount of some(['0.5', '0x10', '5.00', '0', '1e3', '$5', ''], 2))
      expect((await admin('credit', userId, amount, '--reason', 'x')).out).toContain('500 is $5.00')
    expect((await admin('credit', fresh('ins'), '5', '--reason', 'x')).code).toBe(2)
    expect((await admin('credit', fresh('usr'), '5', '--reason', 'x')).out).toContain('There is no user')
    expect((await admin('nonsense')).out).toContain('npm run admin')
    expect((await world.checked(userId)).total).toBe(10)
  })

  it('runs as a program that exits by itself with the right code', async () => {
    const [wrong, right] = [adminProcess('books', '--bogus'), adminProcess('books')]
    expect(await wrong).toMatchObject({ code: 2, out: expect.not.stringContaining('    at ') })
    expect(await right).toMatchObject({ code: 0, out: expect.stringContaining('0 that differ') })
  })
})

describe('npm run admin -- unsuppress', () => {
  test('forgets the bounces of an address, with or without a user, and records it in the user’s audit trail', async () => {
    const ports = { users: users(world.env), logins: logins(world.env) }
    const [email, nobodys] = [`back-${Date.now()}@example.com`, `nobody-${Date.now()}@example.com`]
    const { user } = await ports.users.findOrCreate(email, fresh('usr'), now)
    for (const address of [email, nobodys]) {
      await noteReturned(ports, [address], 'bounced', Date.now())
      expect(await admin('unsuppress', address)).toMatchObject({ code: 2 })
      const { code, out } = await admin('unsuppress', address, '--reason', 'mended')
      expect({ code, out }).toMatchObject({
        code: 0,
        out: 'The bounce is deleted, and e-mails go to the address again.\n',
      })
      const asker = { share: 'strangers', id: '192.0.2.7' } as const
      expect((await ports.logins.issue(address, asker, Date.now())).bounced).toBe(false)
    }
    expect((await ports.users.find(user.id))?.returned).toEqual(noReturnedMails)
    const { items } = await audit(world.env).list(user.id, { after: null, limit: 5 })
    expect(items).toMatchObject([{ operation: 'admin.unsuppress', record: user.id, reason: 'mended' }])
  })
})
