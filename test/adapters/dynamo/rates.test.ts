import { rates } from '../../../adapters/dynamo/rates/rates.ts'
import type { Rates } from '../../../app/tokens/ports.ts'
import { limits } from '../../../domain/tokens/rate-limits.ts'
import { cases } from '../../counts.ts'
import { ModelWindow, traceOf } from '../../domain/tokens/traces.ts'
import { counted, type Engine, startEngine } from '../engine.ts'

let engine: Engine
let port: Rates
beforeAll(async () => {
  engine = await startEngine()
  port = rates(engine.env)
})
afterAll(() => engine.stop())

describe('the store’s window', () => {
  test('decides as the model does that is held against the exact log, on traces of workers whose clocks differ', async () => {
    let decided = 0
    for (let seed = 1; seed <= cases(100); seed++) {
      const { clocks, bursts } = traceOf(seed, limits.login)
      const model = new ModelWindow(limits.login)
      for (const { atMs, worker, requests } of bursts.slice(0, 8)) {
        const now = atMs + (clocks[worker] ?? 0)
        const wanted = Array.from({ length: requests }, () => model.admit(now)).filter(Boolean).length
        const asked = Array.from({ length: requests }, () => port.admit(`trace#${seed}`, 'login', now))
        expect((await Promise.all(asked)).filter(({ admitted }) => admitted)).toHaveLength(wanted)
        decided += requests
      }
    }
    expect(decided).toBeGreaterThan(cases(100) * 50)
  })

  test('counts an admission in one call and a refusal not at all', async () => {
    const now = Date.parse('2026-11-20T12:00:09.000Z')
    const { calls } = await counted(async () => {
      for (let i = 0; i < limits.login + 5; i++) await port.admit('someone', 'login', now)
    })
    expect(calls).toHaveLength(limits.login + 5)
    const refused = await port.admit('someone', 'login', now)
    expect(refused).toMatchObject({ admitted: false, because: 'limited' })
    const counts = !refused.admitted && refused.because === 'limited' ? Object.values(refused.counts) : []
    expect(counts).toHaveLength(8)
    expect(new Set(counts)).toEqual(new Set([limits.login]))
  })
})
