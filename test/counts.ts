import { join } from 'node:path'

const asked = process.env.BERTH_TIER

/** The tier: few cases, as in `npm test`; the suites and cases that `npm test` left out, as in CI; or all of them, as each night. */
export const tier: 'few' | 'full' | 'nightly' = asked === 'full' || asked === 'nightly' ? asked : 'few'

/** Whether the tests run at full counts, as CI does after `npm test`. */
export const full = tier !== 'few'

/** A count that takes minutes: all of it each night, and `part` of it in the full tier. */
export const most = (all: number, part: number): number => (tier === 'full' ? part : all)

/** The number of generated cases of a property: all in the full tier, otherwise a hundredth, but at least `least`. */
export const cases = (count: number, least = 10): number => (full ? count : Math.max(least, Math.ceil(count / 100)))

/** All items in the full tier; otherwise the first few. */
export const some = <T>(list: readonly T[], first: number): readonly T[] => (full ? list : list.slice(0, first))

/** Properties run on a fixed seed, so that a failure is the same on every machine. */
export const seeded = (count: number, least?: number) => ({ numRuns: cases(count, least), seed: 20_261_101 })

/** Shares a compile cache between the programs that tests start repeatedly. */
export const compiled = { NODE_COMPILE_CACHE: join(import.meta.dirname, '../.berth/compiled') }
