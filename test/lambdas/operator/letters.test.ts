import { iso, minuteMs } from '../../../domain/time.ts'
import { recordsIn } from '../kit/records.ts'
import { type Console, openConsole, reason } from './console.ts'

let operators: Console
beforeAll(async () => {
  operators = await openConsole()
})
afterAll(() => operators.world.close())

describe('listDeadLetters and replayDeadLetter', () => {
  const replay = (userId: string, body: object) =>
    operators.asOperator('POST', `/operator/users/${userId}/dead-letters`, { ...body, reason })

  test('name overdue follow-ups of changes, and run them now', async () => {
    const { userId } = await operators.world.tenant()
    const intent = { kind: 'mail', to: 'ada@example.com', subject: 'A letter', text: 'secret words' } as const
    const [old, fresh] = [operators.world.nextId('int'), operators.world.nextId('int')]
    const made = Date.now() - 10 * minuteMs
    const intents = [
      { userId, id: old, createdMs: made, intent },
      { userId, id: fresh, createdMs: Date.now(), intent },
    ]
    await operators.world.ports.outbox.add(intents)
    const { body, text } = await operators.asOperator('GET', '/operator/dead-letters')
    const own = body.letters.filter(({ user }: { user: string }) => user === userId)
    expect(own).toMatchObject([{ kind: 'follow-up', id: old, what: 'mail', at: iso(made) }])
    expect(text).not.toContain('secret words')
    expect((await replay(userId, { kind: 'follow-up', letter: old })).status).toBe(202)
    const again = (await operators.asOperator('GET', '/operator/dead-letters')).body.letters
    const { nextTryAt } = again.find(({ id }: { id: string }) => id === old)
    expect(Math.abs(Date.parse(nextTryAt) - Date.now())).toBeLessThan(minuteMs)
    await operators.expectLines(userId, ['replayDeadLetter'])
    await operators.world.ports.outbox.remove({ userId, id: old })
    expect((await replay(userId, { kind: 'follow-up', letter: old })).status).toBe(404)
  })

  test('name a user’s failed deliveries without their texts, and resend them', async () => {
    const tenant = await operators.world.tenant()
    const other = await operators.world.tenant()
    const delivery = await recordsIn(operators.world).delivery(tenant)
    const endpoint = await recordsIn(operators.world).toldEndpoint(tenant)
    const [told] = (await operators.world.ports.webhooks.deliveries(tenant.userId, endpoint, { after: null, limit: 1 }))
      .items
    if (!told) throw new Error('no delivery')
    const [due] = (
      await Promise.all(
        Array.from({ length: 16 }, (_, shard) => operators.world.ports.webhooks.due(shard, Date.now() + minuteMs)),
      )
    )
      .flat()
      .filter(({ userId }) => userId === tenant.userId)
    if (due) await operators.world.ports.webhooks.take(tenant.userId, due, Date.now() + minuteMs)
    await operators.world.ports.webhooks.settle(
      tenant.userId,
      { ...told, state: 'failed', nextTryAt: null, taken: 1 },
      Date.now() + minuteMs,
    )
    const { body } = await operators.asOperator('GET', `/operator/dead-letters?user=${tenant.userId}`)
    expect(body.letters.map(({ kind, id }: { kind: string; id: string }) => [kind, id])).toContainEqual([
      'chat',
      delivery,
    ])
    expect((await operators.asOperator('GET', `/operator/dead-letters?user=${other.userId}`)).body.letters).toEqual([])
    const chat = { kind: 'chat', letter: delivery }
    expect((await replay(other.userId, chat)).status).toBe(404)
    expect((await replay(tenant.userId, chat)).status).toBe(202)
    const webhook = { kind: 'webhook', letter: told.id, endpoint }
    expect((await replay(other.userId, webhook)).status).toBe(404)
    expect((await replay(tenant.userId, webhook)).status).toBe(202)
    await operators.expectLines(tenant.userId, ['replayDeadLetter', 'replayDeadLetter'])
    expect(await operators.trail(other.userId)).toEqual([])
  })
})

describe('replayDeadLetter', () => {
  test('writes no audit entry for an unknown letter', async () => {
    const { userId } = await operators.world.tenant()
    const body = { kind: 'chat', letter: 'out.bm90aGluZw', reason }
    expect((await operators.asOperator('POST', `/operator/users/${userId}/dead-letters`, body)).status).toBe(404)
    expect(await operators.trail(userId)).toEqual([])
  })
})
