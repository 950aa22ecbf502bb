import { showInstance } from '../../../domain/instance/explain.ts'
import { decideIdle, idleLimits, idleStopAt, quietSince } from '../../../domain/instance/idle.ts'
import { newInstance, transition } from '../../../domain/instance/life-cycle.ts'
import { iso, minuteMs } from '../../../domain/time.ts'

const start = Date.UTC(2026, 10, 1)
const running = {
  ...newInstance({ instanceId: 'ins_1', userId: 'usr_1' }, 'starter', '1', start),
  state: 'running' as const,
  startedAt: iso(start),
}
const asked = (minute: number) => ({ ...running, drain: { askedMs: start + minute * minuteMs, taskId: 'tsk_1' } })
const at = (minute: number) => start + minute * minuteMs

describe('the decision to sleep', () => {
  test.each([
    ['early', running, false, 'none', 14, { do: 'wait', untilMs: at(15) }],
    ['in time', running, false, 'none', 15, { do: 'ask' }],
    ['with an open turn', running, true, 'none', 15, { do: 'wait', untilMs: at(18) }],
    ['without an answer yet', asked(15), false, 'none', 16, { do: 'wait', untilMs: at(17) }],
    ['ready', asked(15), false, 'ready', 16, { do: 'stop', because: 'ready' }],
    ['ready, but long ago', asked(15), false, 'ready', 30, { do: 'ask' }],
    ['ready, with a turn opened since', asked(15), true, 'ready', 16, { do: 'wait', untilMs: at(19) }],
    ['busy', asked(15), false, { busyForSeconds: 300 }, 16, { do: 'wait', untilMs: at(20) }],
    ['busy, after the stated time', asked(15), false, { busyForSeconds: 300 }, 20, { do: 'ask' }],
    ['busy forever', asked(15), false, { busyForSeconds: 9e9 }, 16, { do: 'wait', untilMs: at(30) }],
    ['without any answer', asked(15), false, 'none', 18, { do: 'wait', untilMs: at(30) }],
    ['at the ceiling', asked(118), true, { busyForSeconds: 60 }, 120, { do: 'stop', because: 'ceiling' }],
  ] as const)('is right for: %s', (_, record, open, answer, minute, decision) =>
    expect(decideIdle(record, open, answer, at(minute))).toEqual(decision),
  )

  test('is void after activity', () => {
    const record = { ...asked(15), lastActivityAt: iso(at(16)), attendedAt: iso(at(16)) }
    expect(quietSince(record)).toBe(at(16))
    expect(decideIdle(record, false, 'ready', at(17))).toEqual({ do: 'wait', untilMs: at(31) })
    expect(idleStopAt(record)).toBe(iso(at(31)))
  })

  test('waits two minutes for work that nobody waits for, and never shortens the wait for a person', () => {
    const scheduled = (minute: number) => ({ ...running, lastActivityAt: iso(at(minute)) })
    expect(idleStopAt(scheduled(5))).toBe(iso(at(15)))
    expect(idleStopAt(scheduled(14))).toBe(iso(at(16)))
    expect(idleStopAt({ ...scheduled(20), attendedAt: iso(at(19)) })).toBe(iso(at(34)))
    expect(decideIdle(scheduled(20), false, 'none', at(21))).toEqual({ do: 'wait', untilMs: at(22) })
    expect(decideIdle(scheduled(20), false, 'none', at(22))).toEqual({ do: 'ask' })
  })

  test('may come two minutes after a start by a schedule, but not after a start by a message', () => {
    const woken = { ...running, createdAt: iso(at(-600)), attendedAt: iso(at(-60)), lastActivityAt: iso(at(-60)) }
    expect(idleStopAt({ ...woken, wokenBy: 'schedule' })).toBe(iso(at(2)))
    expect(idleStopAt({ ...woken, wokenBy: 'message' })).toBe(iso(at(15)))
    const starting = { ...woken, state: 'resuming' as const, taskArn: 'task' }
    const checkedAt = (wokenBy: 'schedule' | 'message') =>
      transition({ ...starting, wokenBy }, 'machine-running', 'ready', at(0)).next.deadlineMs
    expect([checkedAt('schedule'), checkedAt('message')]).toEqual([at(2), at(15)])
  })

  test('waits longer on a larger plan, and its stored record is not shown', () => {
    expect(idleLimits('pro').idleMs).toBeGreaterThan(idleLimits('starter').idleMs)
    const shown = showInstance(asked(15))
    expect(shown).toMatchObject({ idleStopAt: iso(at(15)), explanation: expect.stringContaining('awake') })
    expect(Object.keys(shown)).not.toEqual(expect.arrayContaining(['drain']))
    for (const hidden of ['taskArn', 'version', 'userId', 'plan', 'drain']) expect(shown).not.toHaveProperty(hidden)
  })
})
