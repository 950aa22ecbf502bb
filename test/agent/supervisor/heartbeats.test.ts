import { jest } from '@jest/globals'
import { Heartbeats } from '../../../agent/supervisor/heartbeats.ts'
import { HeldPrompts } from '../../../agent/supervisor/held-prompts.ts'
import type { SentObservation } from '../../../domain/agent/observation.ts'
import type { Measurement } from '../../../domain/instance/metrics.ts'

const [secondMs, minuteMs] = [1_000, 60_000]
const reportMs = 20 * minuteMs
const promptId = 'prm_01KAHB2N3P4Q5R6S7T8V9WXYZ0'

/** A machine that sends a heartbeat every 15 seconds, and the requests that the service receives from it. */
function openWorld() {
  const seen: { atMs: number; observation: SentObservation }[] = []
  const world = {
    seen,
    busy: false,
    connected: true,
    fails: 0,
    waits: false,
    stops: false,
    stopped: [] as string[],
    hints: 0,
    renewed: 0,
    openedMs: Date.now(),
  }
  const held = new HeldPrompts()
  const heartbeats = new Heartbeats({
    async observe(observation) {
      seen.push({ atMs: Date.now(), observation })
      if (world.fails-- > 0) return { ok: false, status: 500, headers: {}, text: '' }
      return { ok: true, status: 200, headers: {}, body: { work: world.waits, ...(world.stops && { stopped: true }) } }
    },
    measure: async () => ({}) as Measurement, // safe because no test here reads it
    held,
    isBusy: () => world.busy,
    socket: {
      get isConnected() {
        return world.connected
      },
      get ageMs() {
        return Date.now() - world.openedMs
      },
      async renew() {
        world.renewed++
        world.openedMs = Date.now()
      },
    },
    stopped: (id) => world.stopped.push(id),
    work: () => world.hints++,
    reportMs,
  })
  setInterval(() => void heartbeats.tick(), 15 * secondMs)
  const renewals = () =>
    seen.flatMap(({ atMs, observation }) =>
      observation.kind === 'heartbeat' && observation.promptId ? [{ atMs, id: observation.promptId }] : [],
    )
  const reports = () =>
    seen.flatMap(({ observation }) =>
      observation.kind === 'heartbeat' && observation.samples ? [observation.samples.length] : [],
    )
  return Object.assign(world, { held, heartbeats, renewals, reports })
}

beforeEach(() => jest.useFakeTimers())
afterEach(() => jest.useRealTimers())
const pass = (ms: number) => jest.advanceTimersByTimeAsync(ms)

describe('the lease of a prompt', () => {
  test('is renewed once a minute, before its two minutes are over, while its runtime reports progress', async () => {
    const { held, renewals } = openWorld()
    const startMs = Date.now()
    held.add(promptId)
    for (let second = 0; second < 10 * 60; second++) {
      held.progress(promptId)
      await pass(secondMs)
    }
    expect(renewals()).toHaveLength(10)
    const times = [startMs, ...renewals().map(({ atMs }) => atMs)]
    for (const [i, ms] of times.slice(1).entries()) expect(ms - (times[i] ?? 0)).toBeLessThan(2 * minuteMs)
    expect(held.lapsed()).toBe(false)
  })

  test('is not renewed for a silent runtime', async () => {
    const { held, renewals } = openWorld()
    held.add(promptId)
    held.progress(promptId)
    await pass(90 * secondMs)
    expect(renewals()).toHaveLength(1)
    await pass(10 * minuteMs)
    expect(renewals()).toHaveLength(1)
    expect(held.lapsed()).toBe(true)
  })

  test('is retried at the next heartbeat after a failed renewal', async () => {
    const world = openWorld()
    world.held.add(promptId)
    world.held.progress(promptId)
    world.fails = 2
    await pass(2 * minuteMs)
    const times = world.renewals().map(({ atMs }) => atMs)
    expect(times.slice(1).map((ms, i) => ms - (times[i] ?? 0))).toEqual([15 * secondMs, 15 * secondMs])
    expect(world.held.lapsed()).toBe(false)
  })

  test('reports on renewal that its user has cancelled the answer', async () => {
    const world = openWorld()
    world.held.add(promptId)
    world.held.progress(promptId)
    await pass(minuteMs)
    world.stops = true
    expect(world.stopped).toEqual([])
    world.held.progress(promptId)
    await pass(minuteMs)
    expect(world.stopped).toEqual([promptId])
  })

  test('belongs to one prompt and ends with it', async () => {
    const { held, renewals } = openWorld()
    for (const id of ['prm_a', 'prm_b', 'prm_c']) {
      held.add(id)
      held.progress(id)
    }
    held.close('prm_b')
    await pass(minuteMs)
    expect(renewals().map(({ id }) => id)).toEqual(['prm_a', 'prm_c'])
  })
})

describe('a machine reports', () => {
  test('once a minute that a turn is running, unless a renewal says so', async () => {
    const world = openWorld()
    const busy = () =>
      world.seen.filter(({ observation }) => observation.kind === 'heartbeat' && observation.busy).length
    world.busy = true
    await pass(5 * minuteMs)
    expect(busy()).toBe(5)
    world.held.add(promptId)
    for (let second = 0; second < 5 * 60; second++) {
      world.held.progress(promptId)
      await pass(secondMs)
    }
    expect(world.renewals()).toHaveLength(5)
    // One more before the first renewal, and the report that belongs to both.
    expect(busy()).toBeLessThanOrEqual(5 + 5 + 2)
  })

  test('the samples of each minute three times an hour, each of them once', async () => {
    const { reports } = openWorld()
    await pass(66 * minuteMs)
    expect(reports()).toHaveLength(4)
    expect(reports().reduce((sum, count) => sum + count)).toBe(66)
  })

  test('the samples of a failed report with the next report, a minute later', async () => {
    const world = openWorld()
    await pass(5 * minuteMs)
    world.fails = 1
    await pass(3 * minuteMs)
    expect(world.reports()).toEqual([6, 7])
  })

  test('its samples every minute while it is not connected', async () => {
    const world = openWorld()
    world.connected = false
    await pass(10 * minuteMs)
    expect(world.reports().length).toBeGreaterThanOrEqual(9)
  })

  test('the renewal of its connection, before the gateway ends it after two hours and at no other time', async () => {
    const world = openWorld()
    await pass(7 * 60 * minuteMs)
    expect(world.renewed).toBe(4)
    expect(Date.now() - world.openedMs).toBeLessThan(2 * 60 * minuteMs)
  })

  test('and learns from the answer that work waits', async () => {
    const world = openWorld()
    world.waits = true
    await pass(6 * minuteMs)
    expect(world.hints).toBe(1)
  })

  test('nothing new to a user who watches when there is nothing new', async () => {
    const { heartbeats, reports } = openWorld()
    await heartbeats.reportNews()
    expect(reports()).toEqual([])
    await pass(minuteMs)
    await Promise.all([heartbeats.reportNews(), heartbeats.reportNews()])
    await heartbeats.reportNews()
    expect(reports()).toEqual([1])
  })
})
