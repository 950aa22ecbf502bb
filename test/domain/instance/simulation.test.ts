import { cases, most } from '../../counts.ts'
import { Simulation } from './simulated.ts'

describe('a life in virtual time', () => {
  test('has one machine on the volume, no state past its deadline, no prompt lost or answered twice and no valid old token, for any seed', async () => {
    const wrong: string[] = []
    const seen = new Set<string>()
    const counts = new Map<string, number>()
    for (let seed = 1; seed <= cases(most(10_000, 4_000)); seed++) {
      const life = new Simulation(seed)
      await life.live(40)
      await life.quiet()
      seen.add(`${life.world.record.state} ${life.world.record.reason}`)
      for (const what of life.world.seen) counts.set(what, (counts.get(what) ?? 0) + 1)
      const found = life.verdict()
      if (found.length > 0) wrong.push(`seed ${seed}: ${found.join('; ')}`)
      if (wrong.length >= 5) break
    }
    expect(wrong).toEqual([])
    // The simulation is useless unless the lives end in every possible way.
    expect([...seen].sort()).toEqual(
      expect.arrayContaining(['deleted user', 'paused billing', 'paused idle', 'paused user']),
    )
    expect([...counts.keys()].sort()).toEqual(['gone back', 'superseded', 'unseen', 'volume-eraser', 'volume-worker'])
  }, 600_000)
})
