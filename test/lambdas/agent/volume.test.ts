import { showInstance } from '../../../domain/instance/instance.ts'
import { isOverPlan } from '../../../domain/instance/volume.ts'
import { type Door, openDoor, type Tenant } from './door.ts'

let door: Door
beforeAll(async () => {
  door = await openDoor()
})
afterAll(() => door.close())

const gib = 1024 ** 3
const held = (diskBytes: number) => ({
  cpuPercent: 1,
  memoryBytes: 1,
  memoryLimitBytes: 2,
  diskBytes: Math.round(diskBytes),
  uptimeSeconds: 60,
})
const beat = async (who: Tenant, gibibytes: number) => {
  const body = { kind: 'heartbeat', busy: false, measured: held(gibibytes * gib) }
  expect((await who.call('/agent/observe', { body })).status).toBe(200)
}

/** A tenant that has an address, so that it can be written to. */
async function reachable() {
  const who = await door.tenant()
  const email = `${who.userId.toLowerCase()}@example.com`
  await door.stores.users.findOrCreate(email, who.userId, door.clock.nowMs)
  const told = async () => ({
    mails: door.mails.filter(({ to }) => to === email).length,
    events: (await who.events()).filter(({ type }) => type === 'instance.volume_full').map(({ data }) => data),
  })
  const explanation = async () => {
    const record = await door.stores.instances.find(who.userId)
    return record ? showInstance(record).explanation : ''
  }
  return { who, told, explanation }
}

describe('a volume that outgrows its plan', () => {
  test('is told of once, by mail and event, and in the explanation until it fits again', async () => {
    const { who, told, explanation } = await reachable()
    await beat(who, 5)
    expect(await told()).toEqual({ mails: 0, events: [] })
    await beat(who, 5.5)
    await beat(who, 6)
    const first = { diskBytes: 5.5 * gib, storageGiB: 5 }
    expect(await told()).toEqual({ mails: 1, events: [first] })
    expect(await explanation()).toMatch(/volume holds more than the plan’s 5 GiB/)
    await beat(who, 4.9)
    expect(await explanation()).toMatch(/volume/)
    await beat(who, 4)
    expect(await explanation()).not.toMatch(/volume/)
    await beat(who, 7)
    expect((await told()).mails).toBe(2)
  })

  test('is told of once by two heartbeats at the same moment', async () => {
    const { who, told } = await reachable()
    await Promise.all([beat(who, 6), beat(who, 6), beat(who, 6)])
    expect(await told()).toMatchObject({ mails: 1, events: [{ storageGiB: 5 }] })
  })

  test('is measured by its own plan', () => {
    expect(isOverPlan({ plan: 'pro', overPlan: false }, 6 * gib)).toBe(false)
    expect(isOverPlan({ plan: 'pro', overPlan: false }, 25 * gib + 1)).toBe(true)
    expect(isOverPlan({ plan: 'starter', overPlan: true }, 4.5 * gib + 1)).toBe(true)
    expect(isOverPlan({ plan: 'starter', overPlan: true }, 4.5 * gib)).toBe(false)
  })
})
