import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** How many generated cases a property runs: about a fiftieth of the full count unless the tier asks for all. */
export const cases = (full: number): number =>
  process.env.BERTH_TIER === 'full' ? full : Math.max(20, Math.ceil(full / 50))

/** Properties run on a fixed seed, so that a failure is the same on every machine. */
export const seeded = (full: number) => ({ numRuns: cases(full), seed: 20_261_101 })

/** Lets the programs that tests start again and again keep what Node made of their code. */
export const compiled = { NODE_COMPILE_CACHE: join(tmpdir(), 'berth-compiled') }
