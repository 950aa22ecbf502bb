import { promptIdOf } from '../../../domain/chat/names.ts'
import { kinds } from '../../../domain/notifications/kinds.ts'
import { maxGroupDay, maxUnread } from '../../../domain/notifications/notification.ts'
import { dayMs, minuteMs, secondMs } from '../../../domain/time.ts'
import { notificationStore } from '../../../lib/reports/counts.ts'
import { counted } from '../../adapters/engine.ts'
import { type NotificationsWorld, openNotificationsWorld } from './notifications-world.ts'

let world: NotificationsWorld
beforeAll(async () => {
  world = await openNotificationsWorld()
})
beforeEach(() => {
  world.published.length = 0
  world.mails.length = 0
  world.net.busDown = false
})
afterAll(() => world.close())

/** A reply to a message of this age. */
const reply = (agoMs: number, text = 'Done.', conversation = 'main') => {
  world.clock.nowMs -= agoMs
  const promptId = promptIdOf(world.nextId('msg'))
  world.clock.nowMs += agoMs
  return world.event('message.sent', { promptId, message: { text, conversation } })
}

describe('listNotifications', () => {
  test('lists important events for a person, newest first, as kind and facts', async () => {
    const me = await world.person()
    const events = [
      world.event('wallet.low', { balanceMicros: 900_000 }),
      world.event('token.created', { id: world.nextId('req'), name: '<b>Laptop</b>' }),
      world.event('question.asked', { questionId: world.nextId('qst'), text: 'May I? [x](javascript:1)' }),
    ]
    for (const happened of events) {
      await world.tell(me.userId, happened)
      world.clock.nowMs += secondMs
    }
    const { notifications, unread, nextCursor } = await world.listed(me)
    expect([unread, nextCursor]).toEqual([3, null])
    expect(notifications).toEqual([
      expect.objectContaining({ kind: 'question-asked', group: 'chat', facts: { text: 'May I? [x](javascript:1)' } }),
      expect.objectContaining({ kind: 'token-created', group: 'security', facts: { name: '<b>Laptop</b>' } }),
      expect.objectContaining({ kind: 'wallet-low', page: '/wallet', facts: { micros: 900_000 }, read: false }),
    ])
    expect((await me.ask({ path: '/auth/session' })).body.unread).toBe(3)
  })

  test('omits events that are no news to a person, without a look-up', async () => {
    const me = await world.person()
    const quiet = [
      world.event('wallet.charged', { amountMicros: 5 }),
      world.event('message.received', {}),
      world.event('instance.state_changed', { state: 'running', reason: 'ready', generation: 2 }),
      world.event('files.task_ended', { kind: 'export', ok: true }),
      world.event('prompt.closed', { outcome: 'completed', promptId: 'prm_1' }),
      world.event('notification.added', {}),
      reply(minuteMs - 1),
    ]
    const { calls } = await counted(async () => {
      for (const happened of quiet) await world.tell(me.userId, happened)
    })
    expect(calls).toEqual([])
    expect((await world.listed(me)).notifications).toEqual([])
  })

  test('is paged', async () => {
    const me = await world.person()
    for (let i = 0; i < 5; i++) await world.tell(me.userId, world.event('instance.volume_full'))
    const first = (await me.ask({ path: '/notifications?limit=3' })).body
    const second = (await me.ask({ path: `/notifications?limit=3&cursor=${first.nextCursor}` })).body
    expect([first.notifications.length, second.notifications.length, second.nextCursor]).toEqual([3, 2, null])
    expect(new Set([...first.notifications, ...second.notifications].map(({ id }) => id)).size).toBe(5)
  })

  test('lists nothing of other users, and nothing for a closed account', async () => {
    const [me, other] = [await world.person(), await world.person()]
    await world.tell(me.userId, world.event('wallet.empty'))
    expect((await world.listed(other)).notifications).toEqual([])
    const { id } = (await world.listed(me)).notifications[0]
    await other.ask({ method: 'POST', path: '/notifications/read', body: { ids: [id], upTo: id } })
    expect((await world.listed(me)).unread).toBe(1)
    const untilMs = world.clock.nowMs + 30 * dayMs
    await world.ports.users.scheduleErasure(other.userId, new Date(untilMs).toISOString(), untilMs)
    await world.tell(other.userId, world.event('wallet.empty'))
    expect((await world.ports.notifications.list(other.userId, { after: null, limit: 5 })).items).toEqual([])
  })
})

describe('a notification', () => {
  test('exists once, however often its event arrives', async () => {
    const me = await world.person()
    const happened = world.event('wallet.low', { balanceMicros: 5 })
    await Promise.all([world.tell(me.userId, happened), world.tell(me.userId, happened)])
    await world.tell(me.userId, happened)
    expect(await world.listed(me)).toMatchObject({ unread: 1, notifications: [{ kind: 'wallet-low' }] })
  })

  test('exists once, however often its cause is recorded', async () => {
    const me = await world.person()
    const once = reply(2 * minuteMs)
    const schedule = { scheduleId: 'sch_1', at: 'then', outcome: 'no-instance' }
    for (const [type, data] of [
      ['message.sent', once.data],
      ['schedule.failed', schedule],
      ['question.asked', { questionId: 'qst_1', text: 'May I?' }],
    ] as const)
      for (let i = 0; i < 3; i++) await world.tell(me.userId, world.event(type, data))
    await world.tell(me.userId, world.event('schedule.failed', { ...schedule, at: 'later' }))
    const { notifications, unread } = await world.listed(me)
    expect(notifications.map(({ kind }: { kind: string }) => kind).sort()).toEqual([
      'question-asked',
      'reply-ended',
      'schedule-failed',
      'schedule-failed',
    ])
    expect(unread).toBe(4)
  })

  test('exists once for a reply that failed, with its words, and says nothing of a long reply', async () => {
    const me = await world.person()
    const { message, promptId } = reply(2 * minuteMs, 'The model provider failed.').data
    const failed = { message: Object.assign({}, message, { outcome: 'failed', refusal: 'provider-error' }), promptId }
    await world.tell(me.userId, world.event('message.sent', failed))
    await world.tell(me.userId, world.event('prompt.closed', { promptId, outcome: 'failed' }))
    const { notifications } = await world.listed(me)
    expect(notifications).toMatchObject([{ kind: 'reply-failed', facts: { text: 'The model provider failed.' } }])
  })

  test.each(['wallet-empty', 'spending-limit'])(
    'of a reply that tells of %s is left to the event of the wallet',
    async (refusal) => {
      const me = await world.person()
      const { message, promptId } = reply(2 * minuteMs).data
      const refused = { message: Object.assign({}, message, { outcome: 'needs_input', refusal }), promptId }
      await world.tell(me.userId, world.event('message.sent', refused))
      await world.tell(me.userId, world.event('prompt.closed', { promptId, outcome: 'needs_input' }))
      expect((await world.listed(me)).notifications).toEqual([])
    },
  )

  test('in one group leaves room for other groups, however many an agent causes', async () => {
    const me = await world.person()
    for (let i = 0; i < maxGroupDay + 5; i++)
      await world.tell(me.userId, world.event('question.asked', { questionId: `qst_${i}`, text: 'Again?' }))
    await world.tell(me.userId, world.event('wallet.empty'))
    expect((await world.listed(me)).unread).toBe(maxGroupDay + 1)
    world.clock.nowMs += dayMs
    await world.tell(me.userId, world.event('question.asked', { questionId: 'qst_next', text: 'Again?' }))
    expect((await world.listed(me)).unread).toBe(maxGroupDay + 2)
  })

  test('about a sign-in is stored however many tokens were created', async () => {
    const me = await world.person()
    for (let i = 0; i < maxGroupDay + 1; i++)
      await world.tell(me.userId, world.event('token.created', { id: `pat_${i}`, name: 'CI' }))
    await world.tell(me.userId, world.event('account.signed_in', { id: 'ses_1' }))
    expect((await world.listed(me)).notifications[0]).toMatchObject({ kind: 'signed-in' })
  })

  test('counts as read when too many are unread, the oldest first', async () => {
    const me = await world.person()
    for (let i = 0; i < maxUnread + 3; i++) {
      if (i % 25 === 0) world.clock.nowMs += dayMs
      await world.tell(me.userId, world.event('instance.volume_full'))
    }
    const all = [...(await world.ports.notifications.list(me.userId, { after: null, limit: 200 })).items].reverse()
    const unread = await world.ports.notifications.unread(me.userId)
    expect([all.length, unread.size]).toEqual([maxUnread + 3, maxUnread])
    expect(all.slice(0, 4).map(({ id }) => unread.has(id))).toEqual([false, false, false, true])
  })

  test('that expired is no longer counted, and its mark is removed with the next one', async () => {
    const me = await world.person()
    const marks = () => world.ports.notifications.unread(me.userId)
    world.clock.nowMs -= 91 * dayMs
    await world.tell(me.userId, world.event('instance.volume_full'))
    world.clock.nowMs += 91 * dayMs
    expect((await world.listed(me)).unread).toBe(0)
    expect((await marks()).size).toBe(1)
    const next = world.event('instance.volume_full')
    await world.tell(me.userId, next)
    expect([...(await marks())]).toEqual([next.id.replace('evt_', 'ntf_')])
  })

  test.each([
    ['account.passkey_added', { id: 'pky_1', name: 'Phone' }],
    ['wallet.auto_topup_failed', { amountCents: 500, checkoutId: 'chk_1' }],
    ['subscription.payment_failed', { amountCents: 500, paymentEventId: 'evt_stripe' }],
  ] as const)('about %s exists once, although its function runs again', async (type, data) => {
    const me = await world.person()
    await world.tell(me.userId, world.event(type, data))
    await world.tell(me.userId, world.event(type, data))
    expect((await world.listed(me)).notifications).toHaveLength(1)
  })

  test('about a reply is already read when a page of its user is open', async () => {
    const me = await world.person()
    const close = await world.openPage(me)
    await world.tell(me.userId, reply(2 * minuteMs, 'x'.repeat(500), 'cnv_01KAHB2N3P4Q5R6S7T8V9WXYZ0'))
    const [seen] = (await world.listed(me)).notifications
    expect(seen).toMatchObject({
      kind: 'reply-ended',
      read: true,
      page: '/?conversation=cnv_01KAHB2N3P4Q5R6S7T8V9WXYZ0',
      facts: { text: `${'x'.repeat(200)}…` },
    })
    await close()
    await world.tell(me.userId, reply(2 * minuteMs))
    expect((await world.listed(me)).unread).toBe(1)
  })

  test('reaches the user’s streams without its facts', async () => {
    const me = await world.person()
    await world.tell(me.userId, world.event('token.created', { id: 'tok_1', name: 'Laptop' }))
    const told = await world.ports.events.after(me.userId, 'evt_', 10)
    const [{ id }] = (await world.listed(me)).notifications
    expect(told).toMatchObject([{ type: 'notification.added', data: { id, kind: 'token-created' } }])
    expect(JSON.stringify(told)).not.toContain('Laptop')
  })
})

test('a notification costs as much as the cost page says', async () => {
  const me = await world.person()
  const { calls } = await counted(() => world.tell(me.userId, world.event('wallet.low', { balanceMicros: 5 })))
  const units = calls.flatMap(({ capacity }) => capacity).reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0)
  expect({ requests: calls.length, units }).toEqual(notificationStore)
})

describe('readNotifications', () => {
  test('marks these as read, or all up to one', async () => {
    const me = await world.person()
    for (let i = 0; i < 4; i++) await world.tell(me.userId, world.event('instance.volume_full'))
    const ids: string[] = (await world.listed(me)).notifications.map(({ id }: { id: string }) => id)
    const read = async (body: object) =>
      (await me.ask({ method: 'POST', path: '/notifications/read', body })).body.unread
    expect(await read({ ids: [ids[1]] })).toBe(3)
    expect(await read({ ids: [ids[1], 'ntf_01KAHB2N3P4Q5R6S7T8V9WXYZ0'] })).toBe(3)
    expect(await read({ upTo: ids[2] })).toBe(1)
    expect((await world.listed(me)).notifications.map(({ read }: { read: boolean }) => read)).toEqual([
      false,
      true,
      true,
      true,
    ])
    expect(await read({ upTo: ids[0] })).toBe(0)
    expect(await read({})).toBe(0)
  })
})

describe('a reached spending limit', () => {
  test.each([
    [{ of: 'day' }, 'limit-reached', '/wallet', 'Today’s spending limit of $2.00 left too little'],
    [{ of: 'heartbeat' }, 'limit-reached', '/wallet', 'Today’s limit for heartbeats of $2.00 left'],
    [{ of: 'total', tokenId: 'tok_a', name: 'CI' }, 'token-limit-reached', '/tokens', '“CI” may spend $2.00 in all,'],
    [{ of: 'month', tokenId: 'tok_a', name: 'CI' }, 'token-limit-reached', '/tokens', 'until the month ends (UTC).'],
  ])('leads to a notification with the page where it can be raised: %j', async (data, kind, page, said) => {
    const me = await world.person()
    const reached = { ...data, period: '2026-11-20', capMicros: 2_000_000 }
    await world.tell(me.userId, world.event('wallet.limit_reached', reached))
    const { of: because, name } = { name: undefined, ...data }
    const facts = { because, micros: 2_000_000, ...(name && { name }) }
    expect((await world.listed(me)).notifications).toMatchObject([{ kind, group: 'money', page, facts }])
    world.clock.nowMs += 2 * minuteMs
    await world.runOutbox()
    const [mail] = mailsTo(me)
    expect(mail?.text).toContain(said)
    expect(mail?.text).toMatch(new RegExp(`${page}\n$`))
  })
})

/** The subjects of a user's e-mails. */
const mailsTo = ({ userId }: { userId: string }) => world.mails.filter(({ to }) => to.startsWith(userId.toLowerCase()))

describe('the e-mail of a notification', () => {
  test('is written together with it, once, and sent by the sweep of the outbox', async () => {
    const me = await world.person()
    const happened = world.event('schedule.failed', { scheduleId: 'sch_1', at: 'then', outcome: 'wallet-empty' })
    await world.tell(me.userId, happened)
    await world.tell(me.userId, happened)
    world.clock.nowMs += 2 * minuteMs
    await world.runOutbox()
    expect(mailsTo(me)).toMatchObject([
      {
        to: `${me.userId.toLowerCase()}@example.com`,
        subject: 'A schedule did not run',
        text: expect.stringContaining('Your wallet was empty.'),
        switchable: { userId: me.userId, group: 'schedules' },
      },
    ])
  })

  test('is not written for a user who switched its group off; a security e-mail always is', async () => {
    const me = await world.person()
    const muted = ['mail.schedules', 'mail.machine', 'push.money']
    expect(
      (await me.ask({ method: 'PUT', path: '/notifications/settings', body: { muted } })).body.muted.sort(),
    ).toEqual([...muted].sort())
    const failed = { state: 'failed', reason: 'failure', generation: 3 }
    await world.tell(me.userId, world.event('instance.state_changed', failed))
    await world.tell(me.userId, world.event('schedule.failed', { scheduleId: 'sch_1', at: 'then', outcome: 'x' }))
    await world.tell(me.userId, world.event('account.signed_in', { device: 'Firefox on Linux' }))
    expect((await world.listed(me)).unread).toBe(3)
    world.clock.nowMs += 2 * minuteMs
    await world.runOutbox()
    const mails = mailsTo(me)
    expect(mails.map(({ subject }) => subject)).toEqual(['New sign-in to your Berth account'])
    expect(mails[0]).not.toHaveProperty('switchable')
  })
})

describe('setNotificationSettings', () => {
  test('rejects an unknown group, and security', async () => {
    const me = await world.person()
    for (const muted of [['mail.security'], ['mail'], ['sms.money'], 'mail.money'])
      expect((await me.ask({ method: 'PUT', path: '/notifications/settings', body: { muted } })).status).toBe(400)
    expect((await me.ask({ path: '/notifications/settings' })).body.muted).toEqual([])
  })
})

test('each kind leads to a page, and events with another e-mail send none here', () => {
  for (const { page, mail, push } of Object.values(kinds)) {
    expect(page).toMatch(/^\//)
    expect(['elsewhere', 'here', 'never']).toContain(mail)
    expect(['always', 'away', 'never']).toContain(push)
  }
})
