import { type Fate, fates } from './call.ts'

/** Sums of the calls with one result, in µUSD. */
export interface FateSum {
  calls: number
  billedMicros: number
  /** The bills of failed calls. */
  unpaidMicros: number
  costMicros: number
  unseenMicros: number
  /** Largest share by which a call was billed above or below its cost, without the tokens never sent. */
  mostAbove: number
  mostBelow: number
}

export interface SimulationResult {
  seed: number
  calls: number
  admitted: number
  users: number
  virtualMinutes: number
  happened: Record<
    'refreshes' | 'pauses' | 'deletions' | 'lateStarts' | 'leavings' | 'dead' | 'faults' | 'expired',
    number
  >
  fates: Record<Fate, FateSum>
  /** Purchases of closed accounts after their deadline. */
  closed: { calls: number; micros: number }
  /** µUSD that providers reported above the holds. */
  aboveHold: number
  /** Broken invariants, each with its call. */
  mistakes: string[]
}

export const emptyResult = (seed: number): SimulationResult => ({
  seed,
  calls: 0,
  admitted: 0,
  users: 0,
  virtualMinutes: 0,
  happened: { refreshes: 0, pauses: 0, deletions: 0, lateStarts: 0, leavings: 0, dead: 0, faults: 0, expired: 0 },
  // safe because the names are those of `fates`
  fates: Object.fromEntries(Object.keys(fates).map((fate) => [fate, noSum()])) as Record<Fate, FateSum>,
  closed: { calls: 0, micros: 0 },
  aboveHold: 0,
  mistakes: [],
})

const noSum = (): FateSum => ({
  calls: 0,
  billedMicros: 0,
  unpaidMicros: 0,
  costMicros: 0,
  unseenMicros: 0,
  mostAbove: 0,
  mostBelow: 0,
})
