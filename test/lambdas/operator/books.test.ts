import { booksCheck } from '../../../adapters/dynamo/operator/books-check.ts'
import { books } from '../../../adapters/dynamo/wallet/books.ts'
import { shards } from '../../../domain/ids.ts'
import { iso } from '../../../domain/time.ts'
import { type Console, openConsole, reason } from './console.ts'
import { corruptWallet } from './corrupt.ts'

let operators: Console
beforeAll(async () => {
  operators = await openConsole()
})
afterAll(() => operators.world.close())

describe('getBooks', () => {
  test('is null before the first check', async () => {
    expect((await operators.asOperator('GET', '/operator/books')).body).toEqual({ run: null })
  })
})

describe('checkBooks and getBooks', () => {
  const next = (more: object = {}) => operators.asOperator('POST', '/operator/books', { reason, ...more })

  test('checks every wallet in steps, names one that differs, and stores the result', async () => {
    const broken = await operators.world.tenant()
    await operators.world.ports.wallets.creditOnce(broken.userId, 'gift', 600, 'adjustment', 'A gift', iso(Date.now()))
    await corruptWallet(operators.world, broken.userId, 999)
    const owners: string[] = []
    for (let shard = 0; shard < shards; shard++)
      owners.push(...(await booksCheck(operators.world.env).owners(shard, null, 1_000)))
    let { body } = await next({ anew: true })
    let steps = 1
    for (; body.run.finishedAt === null; steps++) {
      expect((await operators.asOperator('GET', '/operator/books')).body).toEqual(body)
      ;({ body } = await next())
    }
    expect(steps).toBeGreaterThanOrEqual(Math.floor(owners.length / 25))
    expect(body.run).toMatchObject({ checked: owners.length, wrong: 1, skipped: [] })
    expect(body.run.differences).toEqual([{ user: broken.userId, says: [expect.stringContaining('999')] }])
    expect((await operators.asOperator('GET', '/operator/books')).body).toEqual(body)
    await corruptWallet(operators.world, broken.userId, 600)
  })

  test('lists each user in one shard', async () => {
    const { userId } = await operators.world.tenant()
    const found: string[] = []
    for (let shard = 0; shard < shards; shard++)
      found.push(...(await booksCheck(operators.world.env).owners(shard, null, 1_000)))
    expect(found).toContain(userId)
    expect(new Set(found).size).toBe(found.length)
    for await (const owner of books(operators.world.env).owners())
      expect([owner, found.includes(owner)]).toEqual([owner, (await operators.world.ports.users.find(owner)) !== null])
  })

  test('makes one step for two concurrent callers', async () => {
    await next({ anew: true })
    const both = await Promise.all([next(), next()])
    expect(both.map(({ status }) => status).sort()).toContain(200)
    const counted = (await operators.asOperator('GET', '/operator/books')).body.run.checked
    expect(counted).toBeLessThanOrEqual(75)
  })
})
