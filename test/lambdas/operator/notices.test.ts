import { operatorsTrail } from '../../../domain/operator/trail.ts'
import { minuteMs } from '../../../domain/time.ts'
import { type Console, openConsole, reason } from './console.ts'

let operators: Console
beforeAll(async () => {
  operators = await openConsole()
})
afterAll(() => operators.world.close())

describe('listNotices', () => {
  const shown = async (userId: string) => {
    const { headers } = await operators.world.session(userId)
    return (await operators.world.request({ path: '/notices', headers })).body.notices.map(
      ({ text }: { text: string }) => text,
    )
  }

  test('lists operators’ notices for everybody and for this user, until they are withdrawn or expire', async () => {
    const [ada, bob] = [await operators.world.tenant(), await operators.world.tenant()]
    const all = await operators.asOperator('POST', '/operator/notices', { text: 'To all.', reason })
    await operators.asOperator('POST', '/operator/notices', { text: 'To Ada.', users: [ada.userId], reason, days: 1 })
    expect(all.status).toBe(201)
    expect(await shown(ada.userId)).toEqual(['To Ada.', 'To all.'])
    expect(await shown(bob.userId)).toEqual(['To all.'])
    const withdraw = () => operators.asOperator('POST', `/operator/notices/${all.body.notice.id}/withdraw`, { reason })
    expect((await withdraw()).body).toEqual({ withdrawn: true })
    expect((await withdraw()).status).toBe(404)
    expect(await shown(bob.userId)).toEqual([])
    expect(await operators.world.ports.notices.standing(Date.now() + 25 * 60 * minuteMs)).toEqual([])
  })
})

describe('broadcastNotice', () => {
  test('publishes a notice once per key', async () => {
    const { headers } = await operators.world.operator()
    const sent = {
      method: 'POST',
      path: '/operator/notices',
      headers: { ...headers, 'Idempotency-Key': 'told' },
      body: { text: 'Once.', reason },
    }
    const [first, second] = [await operators.world.request(sent), await operators.world.request(sent)]
    expect(second.body).toEqual(first.body)
    const { body } = await operators.asOperator('GET', '/operator/notices')
    expect(body.notices.filter(({ text }: { text: string }) => text === 'Once.')).toHaveLength(1)
  })
})

describe('withdrawNotice', () => {
  test('writes its audit entry only into the operators’ trail', async () => {
    const { body } = await operators.asOperator('POST', '/operator/notices', { text: 'Soon gone.', reason })
    await operators.asOperator('POST', `/operator/notices/${body.notice.id}/withdraw`, { reason })
    expect((await operators.trail(operatorsTrail)).slice(0, 2)).toMatchObject([
      { operation: 'withdrawNotice', record: body.notice.id, reason },
      { operation: 'broadcastNotice', record: body.notice.id, reason },
    ])
  })
})

describe('listOperatorNotices', () => {
  test('lists the recipients of each notice', async () => {
    const { userId } = await operators.world.tenant()
    await operators.asOperator('POST', '/operator/notices', { text: 'To one.', users: [userId], reason })
    const { body } = await operators.asOperator('GET', '/operator/notices')
    expect(body.notices[0]).toMatchObject({
      text: 'To one.',
      to: [userId],
      by: (await operators.world.operator()).userId,
    })
  })
})

describe('listOperatorsTrail', () => {
  test('is paged, newest first, with the operator and the user of each entry', async () => {
    const { userId } = await operators.world.tenant()
    await operators.asOperator('POST', `/operator/users/${userId}/suspend`, { reason })
    const { body } = await operators.asOperator('GET', '/operator/trail?limit=1')
    expect(body.entries).toMatchObject([{ operation: 'suspendUser', user: userId, reason }])
    const { body: more } = await operators.asOperator(
      'GET',
      `/operator/trail?limit=1&cursor=${encodeURIComponent(body.nextCursor)}`,
    )
    expect(more.entries[0].id < body.entries[0].id).toBe(true)
  })
})
