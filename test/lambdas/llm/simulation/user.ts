import type { Tenant } from '../../../world.ts'
import type { Call, Expected } from './call.ts'

/** A user, and the sums of their calls. */
export interface User {
  tenant: Tenant
  /** Generation of the machine that may spend; 0 for none. */
  live: number
  /** Time when each generation ended, in ms. */
  gone: Map<number, number>
  closedMs: number | null
  bearers: Map<number, { headers: Record<string, string>; untilMs: number }>
  changing: boolean
  /** Set when nothing more happens to this user: the books are closed after the last call. */
  retired: boolean
  open: Set<Call>
  ended: Ended[]
  creditedMicros: number
  credits: number
}

/** A call that ended, for the books. */
export interface Ended {
  n: number
  /** A description of the call. */
  why: string
  callId: string
  expected: Expected
  heldMicros: number
  durationMs: number
  boughtClosed: boolean
}
