import { rates } from '../../../adapters/dynamo/rates/rates.ts'
import type { Rates } from '../../../app/ports/rates.ts'
import { bucketName, bucketOf, limits } from '../../../domain/rates/rate-limits.ts'
import { callerKinds } from '../../../domain/rates/window-owner.ts'
import { cases } from '../../counts.ts'
import { ModelWindow, traceOf } from '../../domain/rates/traces.ts'
import { counted, type Engine, startEngine } from '../engine.ts'

let engine: Engine
let port: Rates
beforeAll(async () => {
  engine = await startEngine()
  port = rates(engine.env)
})
afterAll(() => engine.stop())

const now = Date.parse('2026-11-20T12:00:09.000Z')
const stranger = (id: string) => ({ by: 'stranger', operation: 'login', id }) as const
const user = (userId: string) => ({ by: 'tokens', userId }) as const

describe('the stored rate window', () => {
  test('decides like the model that is checked against an exact log, on traces of workers with different clocks', async () => {
    let decided = 0
    for (let seed = 1; seed <= cases(100); seed++) {
      const { clocks, bursts } = traceOf(seed, limits.login)
      const model = new ModelWindow(limits.login)
      for (const { atMs, worker, requests } of bursts.slice(0, 8)) {
        const now = atMs + (clocks[worker] ?? 0)
        const wanted = Array.from({ length: requests }, () => model.admit(now)).filter(Boolean).length
        const asked = Array.from({ length: requests }, () => port.admit(stranger(`trace${seed}`), 'login', now))
        expect((await Promise.all(asked)).filter(({ admitted }) => admitted)).toHaveLength(wanted)
        decided += requests
      }
    }
    expect(decided).toBeGreaterThan(cases(100) * 50)
  })

  test('counts an admission in one request, and never counts a refusal', async () => {
    const { calls } = await counted(async () => {
      for (let i = 0; i < limits.login + 5; i++) await port.admit(stranger('someone'), 'login', now)
    })
    expect(calls).toHaveLength(limits.login + 5)
    const refused = await port.admit(stranger('someone'), 'login', now)
    expect(refused).toMatchObject({ admitted: false, because: 'limited' })
    const counts = !refused.admitted && refused.because === 'limited' ? Object.values(refused.counts) : []
    expect(counts).toHaveLength(8)
    expect(new Set(counts)).toEqual(new Set([limits.login]))
  })

  test('admits exactly the limit of parallel calls', async () => {
    const owner = user('usr_parallel')
    const calls = Array.from({ length: limits.write + 25 }, () => port.admit(owner, 'write', now))
    const admissions = await Promise.all(calls)
    expect(admissions.filter(({ admitted }) => admitted)).toHaveLength(limits.write)
    const refused = admissions.filter((admission) => !admission.admitted)
    expect(refused.every((admission) => admission.because === 'limited')).toBe(true)
    expect(refused[0]).toMatchObject({ counts: { [bucketName('write', bucketOf(now))]: limits.write } })
  })

  test('counts each class separately, and admits again after at most 80 seconds', async () => {
    const owner = user('usr_classes')
    for (let i = 0; i < limits.write; i++) await port.admit(owner, 'write', now)
    expect(await port.admit(owner, 'write', now + 59_999)).toMatchObject({ because: 'limited' })
    expect(await port.admit(owner, 'read', now)).toMatchObject({ admitted: true })
    expect(await port.admit(owner, 'write', now + 80_000)).toMatchObject({ admitted: true })
  })

  test('counts each kind of a user’s callers separately, and each user', async () => {
    for (let i = 0; i < limits.write; i++) await port.admit(user('usr_kinds'), 'write', now)
    expect(await port.admit(user('usr_kinds'), 'write', now)).toMatchObject({ because: 'limited' })
    const others = callerKinds.filter((by) => by !== 'tokens').map((by) => ({ by, userId: 'usr_kinds' }))
    for (const owner of [...others, user('usr_kinds2')])
      expect(await port.admit(owner, 'write', now)).toMatchObject({ admitted: true })
  })

  test('keeps the item small for steady and for rare callers', async () => {
    const owner = user('usr_steady')
    const { calls } = await counted(async () => {
      for (let i = 0; i < 60; i++) await port.admit(owner, 'read', now + i * 10_000)
    })
    expect(calls).toHaveLength(60)
    let largest = 0
    const rare = await counted(async () => {
      for (let i = 1; i <= 40; i++) {
        const admission = await port.admit(owner, 'read', now + i * 1_000_000)
        if (admission.admitted) largest = Math.max(largest, Object.keys(admission.counts).length)
      }
    })
    expect(largest).toBeLessThan(50)
    expect(rare.calls.length).toBeLessThan(52)
    expect(rare.calls.every(({ capacity }) => capacity[0]?.CapacityUnits === 1)).toBe(true)
  })
})
