import { minuteMs } from '../../../domain/time.ts'
import { inject } from '../../adapters/engine.ts'
import { cases } from '../../counts.ts'
import { dying } from '../kit/crash-world.ts'
import { type NotificationsWorld, openNotificationsWorld } from './notifications-world.ts'

let world: NotificationsWorld
beforeAll(async () => {
  world = await openNotificationsWorld()
})
afterAll(() => world.close())

/** Sends an event with a notification, an e-mail and a push until all are done, then sweeps. */
async function told(interrupt: (run: () => Promise<unknown>) => Promise<unknown>) {
  world.mails.length = 0
  const me = await world.person()
  const browsers = [await world.browser(me), await world.browser(me)]
  const happened = world.event('schedule.failed', { scheduleId: 'sch_1', at: 'then', outcome: 'no-instance' })
  await interrupt(() => world.tell(me.userId, happened))
  // The stream repeats an event until it is done; the test repeats it once more after that.
  await world.tell(me.userId, happened)
  await interrupt(world.send)
  world.published.length = 0
  world.clock.nowMs += 3 * minuteMs
  await interrupt(world.runOutbox)
  world.clock.nowMs += 6 * minuteMs
  await world.runOutbox()
  await world.pass(10 * minuteMs)
  return {
    list: (await world.listed(me)).notifications.map(({ kind, read }: { kind: string; read: boolean }) => [kind, read]),
    unread: (await world.listed(me)).unread,
    mails: world.mails.filter(({ to }) => to.startsWith(me.userId.toLowerCase())).length,
    pushes: browsers.map((each) => world.pushed(each).length),
    answered: browsers.map((each) => world.pushService.answered(each.endpoint).length),
  }
}

const whole = { list: [['schedule-failed', false]], unread: 1, pushes: [1, 1] }

describe('a notification, its e-mail and its pushes', () => {
  test.each(Array.from({ length: cases(8, 4) }, (_, i) => i + 1))(
    'all happen, with one notification only, although each function dies after its write %i',
    async (writes) => {
      const done = await told((run) => dying(writes, run))
      expect(done).toMatchObject(whole)
      // An e-mail or push may be sent twice when its sender died; the second replaces the first.
      expect(done.mails).toBeGreaterThanOrEqual(1)
      expect(Math.max(done.mails, ...done.answered)).toBeLessThanOrEqual(2)
    },
  )

  test.each(['before', 'after', 'throttled', 'conflict'] as const)(
    'happen once, whichever request to the store fails: %s',
    async (fault) => {
      for (let nth = 0; nth < cases(12, 4); nth++) {
        const done = await told(async (run) => {
          const off = inject(fault, nth)
          await run().catch(() => undefined)
          off()
        })
        expect(done).toMatchObject({ ...whole, mails: 1 })
      }
    },
  )
})
