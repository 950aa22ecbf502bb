import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Whether the tests run at full counts, as CI does after `npm test`. */
export const full = process.env.BERTH_TIER === 'full'

/** How many generated cases a property runs: a fiftieth of the full count, or the share given, unless the tier asks for all. */
export const cases = (count: number, share = 50): number => (full ? count : Math.max(10, Math.ceil(count / share)))

/** Properties run on a fixed seed, so that a failure is the same on every machine. */
export const seeded = (count: number) => ({ numRuns: cases(count), seed: 20_261_101 })

/** Lets the programs that tests start again and again keep what Node made of their code. */
export const compiled = { NODE_COMPILE_CACHE: join(tmpdir(), 'berth-compiled') }
