import { jest } from '@jest/globals'
import { Service } from '../../../agent/kit/service.ts'
import { deadlineOf } from '../../../domain/instance/deadlines-and-retries.ts'
import { machineTokenTtlMs } from '../../../domain/lifetimes.ts'
import { dayMs, hourMs, minuteMs, secondMs } from '../../../domain/time.ts'
import { type MachineClaims, newClaims, renewedClaims } from '../../../domain/tokens/machine-token.ts'
import { Bench, until } from '../machine.ts'

const audiences = ['llm', 'files', 'agent'] as const

describe('a machine’s tokens', () => {
  const startMs = Date.parse('2026-11-20T12:00:00.000Z')
  const who = { userId: 'usr_1', instanceId: 'ins_1', generation: 1 }
  beforeEach(() => jest.useFakeTimers({ now: startMs }))
  afterEach(() => jest.useRealTimers())

  /**
   * The tokens that a machine holds at the end; it checks four times a minute, and the service is unreachable at some
   * times.
   */
  function live({ lateMs, forMs, isAway }: { lateMs: number; forMs: number; isAway: (ms: number) => boolean }) {
    const tokens = Object.fromEntries(
      audiences.map((audience) => [audience, JSON.stringify(newClaims({ ...who, audience }, startMs))]),
    )
    jest.setSystemTime(startMs + lateMs)
    let superseded = 0
    const service = new Service({ api: '', tokens, tokenMs: machineTokenTtlMs }, () => superseded++)
    const calls: { audience: string; atMs: number }[] = []
    for (let ms = lateMs; ms < forMs; ms += 15 * secondMs) {
      jest.setSystemTime(startMs + ms)
      for (const audience of service.due()) {
        calls.push({ audience, atMs: ms })
        if (isAway(ms)) continue
        const claims: MachineClaims = JSON.parse(service.bearer(audience).replace('Bearer ', ''))
        const fresh = renewedClaims(claims, startMs + ms)
        const headers = fresh ? { 'x-machine-token': JSON.stringify(fresh) } : {}
        service.note(audience, claims.expiresMs > startMs + ms ? 200 : 401, headers)
      }
    }
    return { calls, superseded }
  }

  it('overlap for as long as the machine lives, however late it got the first one', () => {
    const lateMs = deadlineOf.provisioning
    const { calls, superseded } = live({ lateMs, forMs: 5 * dayMs, isAway: () => false })
    expect(superseded).toBe(0)
    const times = (audience: string) => calls.filter((call) => call.audience === audience).map(({ atMs }) => atMs)
    for (const audience of ['llm', 'files']) {
      expect(times(audience)).toHaveLength(Math.floor((5 * dayMs - lateMs) / (40 * minuteMs)))
      expect(times(audience)[0]).toBe(lateMs + 40 * minuteMs)
    }
    // Reports renew the agent's token, so this is the rare case in which they did not.
    expect(times('agent')[0]).toBe(lateMs + 50 * minuteMs)
  })

  it('are requested each minute while the service is unreachable, and survive minutes of that', () => {
    const away = { fromMs: 44 * minuteMs, toMs: 54 * minuteMs }
    const isAway = (ms: number) => ms >= away.fromMs && ms < away.toMs
    const { calls, superseded } = live({ lateMs: deadlineOf.provisioning, forMs: 3 * hourMs, isAway })
    expect(superseded).toBe(0)
    expect(calls.filter(({ audience, atMs }) => audience === 'llm' && isAway(atMs))).toHaveLength(9)
  })
})

describe('a running machine', () => {
  let bench: Bench
  beforeEach(async () => {
    bench = await new Bench().open()
  })
  afterEach(() => bench.close())

  it('renews the token of every audience repeatedly', async () => {
    const { server } = bench
    // A token lives longer than any start takes, and is replaced soon.
    server.replaceMs = 500
    const machine = bench.start({ BERTH_TOKEN_SECONDS: '1.5' })
    const renewed = () => audiences.every((audience) => server.tokensUsed(audience) >= 3)
    await until(() => machine.child.exitCode !== null || renewed(), 'the use of a third token')
    const prompt = server.say('Still there?')
    await until(() => machine.child.exitCode !== null || prompt.closed.length > 0)
    expect(machine.child.exitCode).toBeNull()
    expect(server.replies(prompt)).toHaveLength(1)
    expect(server.seen.filter(({ status }) => status === 401)).toEqual([])
  })
})
