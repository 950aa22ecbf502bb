import type { Pat } from '../../domain/tokens/pat.ts'

/** The most a token or connected app may spend in all, µUSD; undefined without a cap. */
export const capOf = ({ app, capMicros }: Pat): number | undefined => app?.capMicros ?? capMicros

export const microsPerCent = 10_000
