import { users } from '../../../adapters/dynamo/account/users.ts'
import { events } from '../../../adapters/dynamo/chat/events.ts'
import { outbox } from '../../../adapters/dynamo/outbox.ts'
import type { Ports } from '../../../adapters/ports.ts'
import type { Basics } from '../../../app/ports/basics.ts'
import { readUsage } from '../../../app/wallet/usage.ts'
import { dayMs, iso, minuteMs } from '../../../domain/time.ts'
import { newAutoTopup } from '../../../domain/wallet/auto-topup.ts'
import { holdTtlMs } from '../../../domain/wallet/holds.ts'
import { jobHandler } from '../../../lambdas/kit/job-handler.ts'
import { walletJobsArea } from '../../../lambdas/wallet-jobs/index.ts'
import { fresh, now, type World, walletWorld } from '../../adapters/dynamo/wallet-world.ts'

let world: World
let nowMs = now
const mails: { to: string; subject: string; text: string }[] = []
const published: string[] = []
let tick: () => Promise<void>

beforeAll(async () => {
  world = await walletWorld()
  const { env } = world
  const deps: Pick<Ports, 'wallets' | 'events' | 'users' | 'mail' | 'bus' | 'outbox'> & Basics = {
    wallets: world.port,
    events: events(env),
    users: users(env),
    outbox: outbox(env),
    mail: { send: async (mail) => void mails.push(mail) },
    bus: { publish: async (type, userId) => void published.push(`${type} ${userId}`) },
    clock: { now: () => nowMs, sleep: async () => {} },
    ids: { next: fresh, random: () => '0' },
    settings: env.settings(),
    alarms: { raise: () => {}, measure: () => {} },
  }
  const handler = jobHandler(walletJobsArea, deps)
  tick = () => handler({ job: 'sweepWallets' })
})
afterAll(() => world.close())
beforeEach(() => {
  nowMs = now
  mails.length = 0
  published.length = 0
})

const owner = async (micros: number): Promise<{ userId: string; email: string }> => {
  const userId = await world.richUser(micros)
  const email = `${userId.toLowerCase()}@example.com`
  await users(world.env).findOrCreate(email, userId, now)
  return { userId, email }
}
const told = async (userId: string) =>
  (await events(world.env).after(userId, 'evt_', 50)).filter(({ type }) => type.startsWith('wallet.'))
const spend = async (userId: string, micros: number) =>
  world.settle(userId, await world.hold(userId, micros), micros, micros)
const subjects = (email: string) => mails.filter(({ to }) => to === email).map(({ subject }) => subject)

describe('sweepWallets', () => {
  it('expires a hold after its time and not before, writes a ledger entry, and notifies the owner once', async () => {
    const { userId } = await owner(50_000_000)
    const callId = await world.hold(userId, 300_000)
    nowMs = now + holdTtlMs - minuteMs
    await tick()
    expect((await world.port.read(userId)).available).toBe(49_700_000)
    nowMs = now + holdTtlMs + minuteMs
    await tick()
    await tick()
    expect(await world.checked(userId)).toMatchObject({ available: 50_000_000, total: 50_000_000, holds: {} })
    expect(await told(userId)).toMatchObject([
      { type: 'wallet.charged', data: { callId, amountMicros: 0, heldMicros: 300_000, settledBecause: 'expired' } },
    ])
    const { items } = await world.port.transactions(userId, { after: null, limit: 5, type: 'usage' })
    expect(items).toMatchObject([{ amountMicros: 0, receipt: { settledBecause: 'expired', callId } }])
  })

  it('sends only an event to a user who switched off e-mails about money', async () => {
    const [{ userId, email }, other] = [await owner(1_500_000), await owner(1_500_000)]
    await users(world.env).setMuted(userId, ['mail.money', 'push.money'], [])
    await users(world.env).setMuted(other.userId, ['mail.chat', 'push.money'], [])
    await Promise.all([spend(userId, 700_000), spend(other.userId, 700_000)])
    await tick()
    expect(subjects(email)).toEqual([])
    expect(subjects(other.email)).toEqual(['Your wallet is low'])
    expect((await told(userId)).map(({ type }) => type)).toContain('wallet.low')
  })

  it('warns once when less than a dollar is left, and again after a top-up', async () => {
    const { userId, email } = await owner(1_500_000)
    await spend(userId, 600_000)
    await tick()
    await tick()
    expect(subjects(email)).toEqual(['Your wallet is low'])
    expect((await told(userId)).map(({ type }) => type)).toEqual(['wallet.low'])
    await world.port.creditOnce(userId, 'more', 1_000_000, 'topup', 'Top-up', iso(now))
    await spend(userId, 950_000)
    await tick()
    expect(subjects(email)).toEqual(['Your wallet is low', 'Your wallet is low'])
  })

  it('says in the warning why automatic top-up does not help', async () => {
    const { userId, email } = await owner(1_500_000)
    const settings = { enabled: true, thresholdCents: 300, amountCents: 1_000, monthlyCapCents: 1_000 }
    await world.port.saveAutoTopup(userId, { ...newAutoTopup(settings), month: '2026-11', chargedMicros: 10_000_000 })
    await spend(userId, 600_000)
    await tick()
    expect(published).toEqual([])
    expect(mails.find(({ to }) => to === email)?.text).toContain('has reached its cap for this month')
  })

  it('reports an empty wallet when a call was refused for lack of money', async () => {
    const { userId, email } = await owner(400)
    await expect(world.hold(userId, 9_000)).rejects.toMatchObject({ code: 'wallet-empty' })
    await tick()
    await tick()
    expect(subjects(email)).toEqual(['Your wallet is empty'])
    expect((await told(userId)).map(({ type }) => type)).toEqual(['wallet.empty'])
  })

  it('warns at seven, three and one days of runway, by the rate of recent days', async () => {
    const { userId, email } = await owner(30_000_000)
    await spend(userId, 4_000_000)
    await tick()
    expect(subjects(email)).toEqual(['Your wallet will be empty within a week'])
    await world.debit(userId, 16_000_000)
    nowMs = now + holdTtlMs
    await tick()
    nowMs = Date.parse('2026-11-21T00:31:00.000Z')
    await tick()
    expect((await world.port.read(userId)).rate).toBe(4_000_000)
    expect(subjects(email).slice(1)).toEqual(['Your wallet will be empty within three days'])
    await world.debit(userId, 8_500_000)
    nowMs += dayMs
    await tick()
    // A day without spending lowers the rate.
    expect((await world.port.read(userId)).rate).toBe(2_000_000)
    expect(subjects(email).slice(2)).toEqual(['Your wallet will be empty within a day'])
  })

  it('stores the sum of an ended day and answers usage from it', async () => {
    const { userId } = await owner(30_000_000)
    await spend(userId, 1_000_000)
    await spend(userId, 500_000)
    nowMs = now + holdTtlMs
    await tick()
    nowMs = now + dayMs
    await tick()
    const [day] = await world.port.usageDays(userId, '2026-11-20', '2026-11-20')
    expect(Object.values(day?.groups ?? {})).toMatchObject([{ calls: 2, amountMicros: 1_500_000 }])
    const today = Math.floor(now / dayMs) * dayMs
    const range = { fromMs: today - dayMs, toMs: today + dayMs }
    expect(await readUsage({ wallets: world.port }, userId, range, nowMs)).toContainEqual(day)
  })

  it('sums up every day missed during an outage and answers usage from the sums', async () => {
    const { userId } = await owner(30_000_000)
    await spend(userId, 1_000_000)
    nowMs = now + holdTtlMs
    await tick()
    nowMs = now + 40 * dayMs
    await tick()
    expect(await world.port.usageDays(userId, '2026-11-20', '2026-11-20')).toMatchObject([{ day: '2026-11-20' }])
    expect((await world.port.read(userId)).rate).toBe(0)
  })

  it('also stores the sum of a day on which a new account topped up', async () => {
    const { userId } = await owner(30_000_000)
    const ask = { checkoutId: fresh('chk'), amountMicros: 10_000_000, limitMicros: 50_000_000 }
    expect(await world.ports.checkouts.count(userId, '2026-11-20', ask)).toBe(true)
    await spend(userId, 1_000_000)
    nowMs = now + holdTtlMs
    await tick()
    nowMs = now + dayMs
    await tick()
    expect(await world.port.usageDays(userId, '2026-11-20', '2026-11-20')).toHaveLength(1)
    expect((await world.port.read(userId)).rate).toBe(1_000_000)
    expect(await world.ports.checkouts.countedOn(userId, '2026-11-20')).toBe(10_000_000)
  })

  it('requests an automatic top-up at its threshold and not above it', async () => {
    const { userId } = await owner(5_500_000)
    const settings = { enabled: true, thresholdCents: 300, amountCents: 1_000, monthlyCapCents: 5_000 }
    await world.port.saveAutoTopup(userId, newAutoTopup(settings))
    await spend(userId, 1_000_000)
    await tick()
    expect(published).toEqual([])
    await spend(userId, 2_000_000)
    await tick()
    expect(published).toEqual([`wallet.low ${userId}`])
  })
})
