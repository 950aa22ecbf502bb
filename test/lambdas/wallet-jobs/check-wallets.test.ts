import { dayMs, minuteMs } from '../../../domain/time.ts'
import { jobHandler } from '../../../lambdas/kit/job-handler.ts'
import { walletJobsArea } from '../../../lambdas/wallet-jobs/index.ts'
import { openWorld, type World } from '../../world.ts'
import { corruptWallet } from '../operator/corrupt.ts'

let world: World
beforeAll(async () => {
  world = await openWorld({ areas: [walletJobsArea] })
})
afterAll(() => world.close())
afterEach(() => world.raised.splice(0))

const check = (change: Partial<World['ports']> = {}) =>
  jobHandler(walletJobsArea, { ...world.ports, ...change })({ job: 'checkWallets' })
const last = async () => {
  const run = await world.ports.booksCheck.last()
  if (!run) throw new Error('nothing was checked')
  return run
}

/** Runs the job like the clock does, until every wallet was checked. */
async function checkAll(): Promise<number> {
  for (let steps = 1; ; steps++) {
    world.clock.nowMs += 15 * minuteMs
    await check()
    if ((await last()).finishedAt !== null) return steps
  }
}

describe('checkWallets', () => {
  test('checks a few wallets at a time until all were checked, and then starts again', async () => {
    for (let users = 0; users < 30; users++) await world.tenant()
    expect(await checkAll()).toBe(2)
    const first = await last()
    expect(first).toMatchObject({ checked: 30, wrong: 0 })
    expect(world.raised).toEqual([])
    await checkAll()
    expect(Date.parse((await last()).startedAt)).toBeGreaterThan(Date.parse(first.startedAt))
  })

  test('raises the alarm while a wallet is wrong, and keeps the result for a day', async () => {
    const { userId } = await world.tenant()
    await corruptWallet(world, userId, 999)
    await checkAll()
    const found = await last()
    expect(world.raised.at(-1)).toMatchObject({ name: 'BooksOutOfBalance', value: 1, wallets: userId })
    world.clock.nowMs += dayMs - minuteMs
    world.raised.splice(0)
    await check()
    expect(await last()).toEqual(found)
    expect(world.raised).toHaveLength(1)
    await corruptWallet(world, userId, 0)
    world.clock.nowMs += 2 * minuteMs
    world.raised.splice(0)
    await checkAll()
    expect(world.raised).toEqual([])
    expect(await last()).toMatchObject({ wrong: 0, checked: 31 })
  })

  test('leaves a step to a concurrent run that took it, and fails when the store fails', async () => {
    const { booksCheck } = world.ports
    const before = await last()
    await check({ booksCheck: { ...booksCheck, save: async () => false } })
    expect(await last()).toEqual(before)
    const down = { ...booksCheck, save: () => Promise.reject(new Error('down')) }
    await expect(check({ booksCheck: down })).rejects.toThrow('down')
    expect(await last()).toEqual(before)
  })
})
