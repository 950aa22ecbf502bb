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

/** Something of which there is a notification, a mail and a push, told until it is done, then swept. */
async function told(interrupt: (run: () => Promise<unknown>) => Promise<unknown>) {
  world.mails.length = 0
  const me = await world.person()
  const browsers = [await world.browser(me), await world.browser(me)]
  const happened = world.event('schedule.failed', { scheduleId: 'sch_1', at: 'then', outcome: 'no-instance' })
  await interrupt(() => world.tell(me.userId, happened))
  // The stream brings it again until it is done; here once more even then.
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

describe('a notification, its mail and its pushes', () => {
  test.each(Array.from({ length: cases(8, 4) }, (_, i) => i + 1))(
    'are all there, and one notification alone, though each function dies after its write %i',
    async (writes) => {
      const done = await told((run) => dying(writes, run))
      expect(done).toMatchObject(whole)
      // A mail or a push whose sender died may go out twice; the second takes the place of the first.
      expect(done.mails).toBeGreaterThanOrEqual(1)
      expect(Math.max(done.mails, ...done.answered)).toBeLessThanOrEqual(2)
    },
  )

  test.each(['before', 'after', 'throttled', 'conflict'] as const)(
    'are there once whichever request to the store meets a fault: %s',
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
