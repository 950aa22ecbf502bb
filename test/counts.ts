import { join } from 'node:path'

/** Whether the tests run at full counts, as CI does after `npm test`. */
export const full = process.env.BERTH_TIER === 'full'

/**
 * How many generated cases a property runs: a hundredth of the full count unless the tier asks for all, and `least` at
 * least.
 */
export const cases = (count: number, least = 10): number => (full ? count : Math.max(least, Math.ceil(count / 100)))

/** All items in the full tier; otherwise the first few. */
export const some = <T>(list: readonly T[], first: number): readonly T[] => (full ? list : list.slice(0, first))

/** Properties run on a fixed seed, so that a failure is the same on every machine. */
export const seeded = (count: number, least?: number) => ({ numRuns: cases(count, least), seed: 20_261_101 })

/** Shares a compile cache between the programs that tests start repeatedly. */
export const compiled = { NODE_COMPILE_CACHE: join(import.meta.dirname, '../.berth/compiled') }
