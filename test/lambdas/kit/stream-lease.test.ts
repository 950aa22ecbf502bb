import type { Slots } from '../../../app/ports/rates.ts'
import type { UserActor } from '../../../domain/actor.ts'
import { downloadSlots, listenerSlots, streamSlots } from '../../../domain/rates/rate-limits.ts'
import { leaseDownload, leaseListener } from '../../../lambdas/kit/stream-lease.ts'
import { openWorld, type World } from '../../world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld({ ports: ['leases', 'sessions', 'tokens'] })
})
afterAll(() => world.close())

async function caller(userId = world.newUserId()): Promise<UserActor> {
  const { record } = await world.session(userId)
  return { kind: 'session', userId, sessionId: record.id } as UserActor // safe because leases read no more fields
}

describe('listening clients of all users', () => {
  test('share a fixed number of slots; a user’s limit still holds, and a refusal keeps no slot of the user', async () => {
    const me = await caller()
    const leases = world.ports.leases
    const taken: Slots[] = []
    const full = {
      ...leases,
      acquire: async (subject: string, slots: Slots, nowMs: number) => {
        if (subject !== 'listeners') return leases.acquire(subject, slots, nowMs)
        taken.push(slots)
        return { acquired: false as const, retryAfterSeconds: 7 }
      },
    }
    for (let tried = 0; tried <= streamSlots.max; tried++)
      await expect(leaseListener(me, { ...world.ports, leases: full })).rejects.toMatchObject({
        code: 'rate-limited',
        retryAfterSeconds: 7,
      })
    expect(taken[0]).toMatchObject({ ...listenerSlots, client: me.userId })
    const open = await leaseListener(me, world.ports)
    expect(await open.renew()).toBe(true)
    await open.release()
    expect(open.signal.aborted).toBe(true)
    expect(await open.renew()).toBe(false)
  })

  test('are replaced, the oldest first, only after a while', async () => {
    const first = await leaseListener(await caller(), world.ports)
    for (let open = 1; open < listenerSlots.max; open++) await leaseListener(await caller(), world.ports)
    const late = await caller()
    await expect(leaseListener(late, world.ports)).rejects.toMatchObject({ code: 'rate-limited' })
    for (let aheadMs = 0; aheadMs <= listenerSlots.evictAfterMs; aheadMs += 20_000) {
      world.clock.nowMs += 20_000
      expect(await first.renew()).toBe(true)
    }
    await leaseListener(late, world.ports)
  })
})

describe('downloads', () => {
  test('of one user are limited, and leave those of others alone', async () => {
    const me = await caller()
    for (let open = 0; open < downloadSlots.max; open++) await leaseDownload(me, world.ports)
    await expect(leaseDownload(me, world.ports)).rejects.toMatchObject({ code: 'rate-limited' })
    const other = await leaseDownload(await caller(), world.ports)
    expect(await other.renew()).toBe(true)
  })
})
