import fc from 'fast-check'
import { DomainError } from '../../../domain/errors.ts'
import { backoffMs, maxCrashes, maxVolumeWorkers } from '../../../domain/instance/deadlines-and-retries.ts'
import { showInstance } from '../../../domain/instance/explain.ts'
import {
  type InstanceRecord,
  isEnding,
  isInMaintenance,
  liveGeneration,
  type Reason,
  type State,
  shownState,
  spendingGeneration,
  states,
} from '../../../domain/instance/instance.ts'
import { isWaiting, newInstance, startFailed, transition } from '../../../domain/instance/life-cycle.ts'
import { failureOf } from '../../../domain/instance/machine.ts'
import { type InstanceEvent, transitions } from '../../../domain/instance/transitions.ts'
import { iso, minuteMs, secondMs } from '../../../domain/time.ts'
import { most, seeded } from '../../counts.ts'
import { NotedRuns } from './noted-runs.ts'

const start = Date.UTC(2026, 10, 1)
const fresh = () => newInstance({ instanceId: 'ins_1', userId: 'usr_1' }, 'starter', '1', start)
// safe because these are the keys of each row of the table
const verbs = Object.keys(transitions.running) as InstanceEvent[]

/** Applies events one after another; a conflict leaves the record unchanged. */
function after(record: InstanceRecord, ...steps: [InstanceEvent, Reason?][]): InstanceRecord {
  return steps.reduce((now, [verb, reason = 'user']) => transition(now, verb, reason, start).next, record)
}

const running = () => after(fresh(), ['machine-running', 'ready'])

describe('the usual duration of a state', () => {
  const secondsLater = (record: InstanceRecord, event: InstanceEvent, seconds: number) =>
    transition(record, event, 'user', Date.parse(record.since ?? '') + seconds * secondMs).next

  test('is an average of the times its owner saw, with half the weight on the last', () => {
    const up = secondsLater(fresh(), 'machine-running', 40)
    expect([up.since, up.usualMs]).toEqual([iso(start + 40 * secondMs), { provisioning: 40_000 }])
    const paused = secondsLater(secondsLater(up, 'pause', 600), 'machine-stopped', 10)
    expect(paused).toMatchObject({ state: 'paused', usualMs: { pausing: 10_000 } })
    const again = secondsLater(secondsLater(paused, 'resume', 60), 'machine-running', 20)
    const slower = secondsLater(
      secondsLater(secondsLater(secondsLater(again, 'pause', 1), 'machine-stopped', 1), 'resume', 1),
      'machine-running',
      30,
    )
    expect(slower.usualMs).toEqual({ provisioning: 40_000, pausing: 5_500, resuming: 25_000 })
    expect(showInstance(slower)).toMatchObject({ since: slower.since, usualSeconds: null })
    expect(showInstance(secondsLater(slower, 'pause', 1))).toMatchObject({ state: 'pausing', usualSeconds: 6 })
  })

  test('includes stored states that look the same to the owner, and ignores failures', () => {
    const waiting = transition(after(running(), ['pause'], ['machine-stopped'], ['maintain']), 'resume', 'user', start)
    expect(shownState(waiting.next)).toBe('resuming')
    const stopping = transition(waiting.next, 'machine-running', 'user', start + secondMs).next
    expect([shownState(stopping), stopping.since]).toEqual(['resuming', waiting.next.since])
    const failed = after(fresh(), ...Array.from({ length: 20 }, (): [InstanceEvent] => ['machine-stopped']))
    expect([failed.state, failed.usualMs]).toEqual(['failed', {}])
  })
})

describe('the life cycle', () => {
  test('never leaves its table, for any requests and observations in any order', () => {
    const step = fc.tuple(
      fc.constantFrom(...verbs),
      fc.constantFrom<Reason>('user', 'billing', 'crash', 'host', 'message'),
      fc.integer({ min: 0, max: 20 * minuteMs }),
    )
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        let record = fresh()
        let now = start
        const runs = new NotedRuns()
        runs.note(null, record)
        for (const [verb, reason, wait] of steps) {
          now += wait
          const target = transitions[record.state][verb]
          const before = structuredClone(record)
          try {
            const { next, changed } = transition(record, verb, reason, now)
            expect(target).not.toBe('conflict')
            expect(next.version).toBe(record.version + (changed ? 1 : 0))
            if (!changed) expect(next).toEqual(before)
            checkStep(before, next)
            runs.note(before, next)
            expect(runs.problems).toEqual([])
            record = next
          } catch (error) {
            if (!(error instanceof DomainError)) throw error
            expect([error.code, target]).toEqual(['conflict', 'conflict'])
            expect(record).toEqual(before)
          }
        }
      }),
      seeded(most(20_000, 8_000)),
    )
  })

  function checkStep(before: InstanceRecord, next: InstanceRecord): void {
    expect(states).toContain(next.state)
    expect(next.generation - before.generation).toBeGreaterThanOrEqual(0)
    expect(next.generation - before.generation).toBeLessThanOrEqual(1)
    // A new generation has no machine yet, and only a new generation drops the old machine.
    expect(next.generation > before.generation || before.taskArn === next.taskArn).toBe(true)
    const atRest = ['paused', 'failed', 'deleted'].includes(next.state)
    expect(next.deadlineMs === null).toBe(atRest)
    expect(liveGeneration(next) === 0).toBe(atRest || next.state === 'deleting')
    // Only the agent's machine may spend.
    if (isInMaintenance(next) || next.state === 'erasing') expect(spendingGeneration(next)).toBe(0)
    else expect(spendingGeneration(next)).toBe(liveGeneration(next))
    if (next.state === 'failed') expect(next.failure).toBeDefined()
    // The record names the failure of an eraser's start while it is retried.
    else if (next.state !== 'erasing') expect(next.failure).toBeUndefined()
    if (next.state === 'deleted') expect(next.desiredState).toBe('deleted')
  }

  test('restarts a crashed machine at once, then with backoff, then no more', () => {
    let record = running()
    const waits: number[] = []
    for (let crash = 1; crash <= maxCrashes; crash++) {
      const { next, step } = transition(record, 'machine-stopped', 'crash', start)
      waits.push(isWaiting(next, start) ? (next.deadlineMs ?? 0) - start : 0)
      expect(step).toBe(crash === 1 ? 'run' : 'none')
      expect(next).toMatchObject({ state: 'resuming', reason: 'crash', crashes: crash, generation: crash + 1 })
      expect(isWaiting(next, start + backoffMs(crash))).toBe(false)
      record = after(next, ['machine-running', 'ready'])
    }
    expect(waits).toEqual([0, 2_000, 4_000, 8_000, 16_000])
    expect(after(record, ['machine-stopped', 'crash'])).toMatchObject({
      state: 'failed',
      failure: { code: 'crash-loop', recoverable: true },
    })
  })

  test('does not count a crash after ten minutes of running as one in a row', () => {
    const crashed = { ...running(), crashes: maxCrashes }
    expect(transition(crashed, 'machine-stopped', 'crash', start + 10 * minuteMs).next.crashes).toBe(1)
    expect(transition(crashed, 'machine-stopped', 'crash', start + 9 * minuteMs).next.state).toBe('failed')
  })

  test('restarts a machine whose host disappeared without counting a crash', () => {
    const { next, step } = transition({ ...running(), crashes: maxCrashes }, 'machine-stopped', 'host', start)
    expect(next).toMatchObject({ state: 'resuming', reason: 'host', crashes: maxCrashes, generation: 2 })
    expect(step).toBe('run')
  })

  test('keeps the requested state apart from the observed state', () => {
    const pausing = after(running(), ['pause'])
    expect(pausing).toMatchObject({ state: 'pausing', desiredState: 'paused', generation: 1 })
    const paused = after(pausing, ['machine-stopped', 'user'])
    expect(paused).toMatchObject({ state: 'paused', reason: 'user' })
    expect(after(paused, ['wake', 'message'])).toMatchObject({
      state: 'resuming',
      desiredState: 'running',
      generation: 2,
    })
  })

  test('keeps a user’s pause of a sleeping machine: no schedule wakes it', () => {
    const falling = after(running(), ['sleep', 'idle'])
    const asleep = after(falling, ['machine-stopped', 'idle'])
    const inWork = after(asleep, ['maintain'])
    for (const record of [falling, asleep, inWork]) {
      expect(record).toMatchObject({ desiredState: 'paused', reason: 'idle' })
      expect(after(record, ['pause'])).toMatchObject({ state: record.state, desiredState: 'paused', reason: 'user' })
    }
    const woken = after(falling, ['wake', 'message'], ['pause'])
    expect(after(woken, ['machine-stopped', 'user'])).toMatchObject({ state: 'paused', reason: 'user' })
    const unpaid = after(running(), ['suspend', 'billing'], ['pause'])
    expect(unpaid).toMatchObject({ desiredState: 'paused', reason: 'billing' })
  })

  test('starts the machine for a message that arrives during a pause, once the old one is gone', () => {
    const woken = after(running(), ['pause'], ['wake', 'message'])
    expect(woken).toMatchObject({ state: 'pausing', desiredState: 'running' })
    expect(after(woken, ['machine-stopped', 'message'])).toMatchObject({ state: 'resuming', generation: 2 })
  })

  const suspended: Partial<Record<State, State>> = {
    paused: 'paused',
    failed: 'paused',
    'maintenance-starting': 'maintenance-stopping',
    maintenance: 'maintenance-stopping',
    'maintenance-stopping': 'maintenance-stopping',
    deleting: 'deleting',
    erasing: 'erasing',
    deleted: 'deleted',
  }
  test.each(states)('lets billing suspend an instance that is %s without a conflict', (state) => {
    const { next } = transition({ ...running(), state }, 'suspend', 'billing', start)
    expect(next.state).toBe(suspended[state] ?? 'pausing')
    if (!isEnding({ state })) expect(next).toMatchObject({ reason: 'billing', desiredState: 'paused' })
    expect(transition(next, 'suspend', 'billing', start).changed).toBe(false)
  })

  const paused = () => after(running(), ['pause'], ['machine-stopped', 'user'])
  const kept = () => after(paused(), ['maintain'], ['machine-running', 'ready'])

  test('gives a volume worker its own generation, while its owner still sees paused with the same reason', () => {
    const opening = after(paused(), ['maintain', 'ready'])
    expect(opening).toMatchObject({
      state: 'maintenance-starting',
      desiredState: 'paused',
      reason: 'user',
      generation: 2,
    })
    expect(opening).toMatchObject({ taskArn: null, wokenBy: 'subscribed' })
    expect([opening, kept()].map(shownState)).toEqual(['paused', 'paused'])
    expect(after(kept(), ['machine-stopped', 'crash'])).toMatchObject({
      state: 'paused',
      reason: 'user',
      generation: 2,
    })
    expect(transition(kept(), 'pause', 'user', start).changed).toBe(false)
    expect(transition(opening, 'maintain', 'user', start).changed).toBe(false)
  })

  test('keeps a new image on trial, with its restore point, when a volume worker does not start', () => {
    const preUpgradePoint = { pointId: 'rsp_1', askedMs: start, taskId: 'tsk_1' }
    const trial = { ...running(), imageVersion: '2', previousImage: '1', preUpgradePoint }
    const worker = after(trial, ['suspend', 'billing'], ['machine-stopped', 'billing'], ['maintain'])
    const failed = startFailed(worker, failureOf('start-failed', true), start).next
    expect(failed).toMatchObject({
      state: 'maintenance-starting',
      imageVersion: '2',
      previousImage: '1',
      preUpgradePoint,
    })
    const died = after(failed, ['resume'], ['machine-stopped'], ['machine-stopped', 'crash'])
    expect(died).toMatchObject({
      state: 'maintenance-starting',
      imageVersion: '1',
      previousImage: null,
      preUpgradePoint,
    })
  })

  test('stops the volume worker on resume, then starts the machine; a second resume changes nothing', () => {
    const { next, step } = transition(kept(), 'resume', 'user', start)
    expect([next.state, step, shownState(next)]).toEqual(['maintenance-stopping', 'stop', 'resuming'])
    expect(transition(next, 'resume', 'user', start).changed).toBe(false)
    expect(after(next, ['machine-stopped', 'user'])).toMatchObject({ state: 'resuming', generation: 3 })
    const again = after(next, ['pause', 'user'])
    expect(again).toMatchObject({ state: 'maintenance-stopping', desiredState: 'paused' })
    expect(after(again, ['machine-stopped', 'user'])).toMatchObject({ state: 'paused', reason: 'user' })
  })

  test('lets nothing wake an instance with a volume worker that billing paused', () => {
    const suspended = after(kept(), ['suspend', 'billing'])
    expect(suspended).toMatchObject({ state: 'maintenance-stopping', desiredState: 'paused', reason: 'billing' })
    expect(after(suspended, ['machine-stopped', 'billing'])).toMatchObject({ state: 'paused', reason: 'billing' })
  })

  test('stops a volume worker that hangs, without a successor', () => {
    const { next, step } = transition(kept(), 'overdue', 'user', start)
    expect([next.state, step, next.crashes >= maxVolumeWorkers]).toEqual(['maintenance-stopping', 'stop', true])
  })

  test('erases a deleted instance with machines of later generations and growing waits', () => {
    let record = after(running(), ['delete'], ['machine-stopped', 'user'])
    expect(record).toMatchObject({ state: 'erasing', generation: 2 })
    expect(shownState(record)).toBe('deleting')
    const waits: number[] = []
    for (let tried = 0; tried < 4; tried++) {
      record = after(record, ['machine-stopped', 'user'])
      waits.push(((record.startAfterMs ?? 0) - start) / 1000)
    }
    expect(waits).toEqual([30, 60, 120, 240])
    expect(record.generation).toBe(6)
    expect(() => after(record, ['resume'])).toThrow(/erasing|deleting/)
    expect(after(record, ['removed'])).toMatchObject({ state: 'deleted', desiredState: 'deleted' })
  })
})
