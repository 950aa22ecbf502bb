import type { InstanceRecord, Reason } from '../../../domain/instance/instance.ts'
import { newInstance, startFailed, transition } from '../../../domain/instance/life-cycle.ts'
import { failureOf } from '../../../domain/instance/machine.ts'
import { runKeptMs, type StoredRun, showRun } from '../../../domain/instance/run.ts'
import { openRun, withFailure } from '../../../domain/instance/run-changes.ts'
import type { InstanceEvent } from '../../../domain/instance/transitions.ts'
import { iso, minuteMs, secondMs } from '../../../domain/time.ts'

const start = Date.UTC(2026, 10, 1)
const fresh = () => newInstance({ instanceId: 'ins_1', userId: 'usr_1' }, 'starter', '1', start)

/** The n-th event comes n minutes after the start. */
function life(record: InstanceRecord, ...steps: [InstanceEvent, Reason?][]): InstanceRecord {
  return steps.reduce(
    (now, [verb, reason = 'user'], at) => transition(now, verb, reason, start + (at + 1) * minuteMs).next,
    record,
  )
}

const at = (minute: number): string => iso(start + minute * minuteMs)
const first: StoredRun = {
  generation: 1,
  requestedAt: at(0),
  startReason: 'subscribed',
  readyAt: at(1),
  endedAt: null,
  endReason: null,
  failureCode: null,
}

describe('a run', () => {
  test('begins with the request, and ends when the machine has stopped', () => {
    const running = life(fresh(), ['machine-running', 'ready'])
    expect(openRun(running)).toEqual(first)
    const pausing = life(fresh(), ['machine-running', 'ready'], ['sleep', 'idle'])
    expect([openRun(pausing), pausing.lastRun]).toEqual([first, null])
    const asleep = life(fresh(), ['machine-running', 'ready'], ['sleep', 'idle'], ['machine-stopped', 'idle'])
    expect([asleep.run, asleep.lastRun]).toEqual([null, { ...first, endedAt: at(3), endReason: 'idle' }])
  })

  test.each<[end: string, steps: [InstanceEvent, Reason?][]]>([
    ['user', [['pause'], ['machine-stopped']]],
    [
      'volume',
      [
        ['pause', 'volume'],
        ['machine-stopped', 'volume'],
      ],
    ],
    [
      'billing',
      [
        ['suspend', 'billing'],
        ['machine-stopped', 'billing'],
      ],
    ],
    [
      'refresh',
      [
        ['refresh', 'refresh'],
        ['machine-stopped', 'refresh'],
      ],
    ],
    [
      'image',
      [
        ['roll', 'image'],
        ['machine-stopped', 'image'],
      ],
    ],
    ['crash', [['machine-stopped', 'crash']]],
    ['host', [['machine-stopped', 'host']]],
    ['deleted', [['delete'], ['machine-stopped']]],
    // Somebody wanted it meanwhile.
    [
      'idle',
      [
        ['sleep', 'idle'],
        ['wake', 'message'],
        ['machine-stopped', 'message'],
      ],
    ],
    // The last request counts.
    [
      'billing',
      [
        ['sleep', 'idle'],
        ['suspend', 'billing'],
        ['machine-stopped', 'billing'],
      ],
    ],
  ])('ends for %s', (endReason, steps) => {
    const { lastRun } = life(fresh(), ['machine-running', 'ready'], ...steps)
    expect(lastRun).toEqual({ ...first, endedAt: at(steps.length + 1), endReason })
  })

  test('that is superseded ends when the next one begins', () => {
    const crashed = life(fresh(), ['machine-running', 'ready'], ['machine-stopped', 'crash'])
    expect(crashed.lastRun).toMatchObject({ generation: 1, endedAt: at(2) })
    const next = { generation: 2, requestedAt: at(2), startReason: 'crash', readyAt: null }
    expect(openRun(crashed)).toMatchObject(next)
    const again = life(fresh(), ['machine-stopped', 'crash'])
    expect(again.lastRun).toMatchObject({ generation: 1, readyAt: null, endedAt: at(1), endReason: 'crash' })
  })

  test('that a message requests while the machine stops begins once it has stopped', () => {
    const steps: [InstanceEvent, Reason?][] = [
      ['machine-running', 'ready'],
      ['sleep', 'idle'],
      ['wake', 'message'],
    ]
    const woken = life(fresh(), ...steps, ['machine-stopped', 'message'])
    expect(woken.lastRun).toMatchObject({ generation: 1, endedAt: at(4), endReason: 'idle' })
    expect(openRun(woken)).toMatchObject({ generation: 2, requestedAt: at(4), startReason: 'message' })
  })

  test('that cannot start ends with the code of the failure, after the last try', () => {
    const tried = startFailed(fresh(), failureOf('capacity', true), start + minuteMs).next
    expect(openRun(tried)).toEqual(openRun(fresh()))
    const failed = startFailed(tried, failureOf('start-failed', false), start + 2 * minuteMs).next
    const ended = { readyAt: null, endedAt: at(2), endReason: 'failure', failureCode: 'start-failed' }
    expect([failed.run, failed.lastRun]).toEqual([null, { ...first, ...ended }])
    expect(openRun(life(failed, ['resume']))).toMatchObject({ generation: 2, startReason: 'user' })
  })

  test('has the failure that the host reported only if that failure ended it', () => {
    const crashed = life(fresh(), ['machine-stopped', 'crash'])
    const failure = failureOf('image', true)
    expect(withFailure(fresh(), crashed, failure)).toMatchObject({ failure, lastRun: { failureCode: 'image' } })
    expect(withFailure(crashed, crashed, failure)).toMatchObject({ failure, lastRun: { failureCode: null } })
  })

  test('belongs to the agent’s machine alone', () => {
    const asleep = life(fresh(), ['machine-running', 'ready'], ['pause'], ['machine-stopped'])
    const worker = life(asleep, ['maintain'], ['machine-running', 'ready'], ['machine-stopped'])
    expect([worker.generation, worker.run, worker.lastRun]).toEqual([2, null, asleep.lastRun])
    const erasing = life(asleep, ['delete'], ['machine-stopped'], ['removed'])
    expect([erasing.state, erasing.run, erasing.lastRun]).toEqual(['deleted', null, asleep.lastRun])
  })

  test('never ends before it began, although another function’s clock was ahead', () => {
    const ahead = transition(fresh(), 'machine-running', 'ready', start + minuteMs).next
    const crashed = transition(ahead, 'machine-stopped', 'crash', start).next
    expect(crashed.lastRun).toMatchObject({ readyAt: at(1), endedAt: at(1) })
    expect(crashed.run).toMatchObject({ requestedAt: at(1) })
  })

  test('is unknown when a release without runs started or ended it', () => {
    const running = life({ ...fresh(), run: null }, ['machine-running', 'ready'], ['pause'], ['machine-stopped'])
    expect([running.run, running.lastRun]).toEqual([null, null])
    // That release wrote the state and left `run`.
    const ended: InstanceRecord = { ...fresh(), state: 'paused' }
    expect(openRun(ended)).toBeNull()
    expect(life(ended, ['resume'])).toMatchObject({ lastRun: null, run: { generation: 2 } })
  })
})

describe('a shown run', () => {
  const kept = { ...first, readyAt: iso(start + 40 * secondMs), endedAt: at(10) }

  test('has its durations in seconds', () => {
    expect(showRun(kept, start + runKeptMs)).toMatchObject({ startSeconds: 40, awakeSeconds: 560 })
    expect(showRun({ ...kept, endedAt: null }, start + minuteMs)).toMatchObject({ awakeSeconds: 20 })
    expect(showRun({ ...kept, readyAt: null }, start)).toMatchObject({ startSeconds: null, awakeSeconds: 0 })
  })
})
