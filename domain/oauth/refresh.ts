import { minuteMs, secondMs } from '../time.ts'

export const codeTtlMs = minuteMs

/** A second use of a code within this time is a retry by its own client. */
export const codeRetryMs = 10 * secondMs

export const accessTtlMs = 60 * minuteMs

/** A new refresh token is not replaced within this time; a repeated request gets the same answer. */
const refreshRestMs = minuteMs

/**
 * Within this time a replaced refresh token still leads to its successor: programs that share one refresh it at once.
 */
export const refreshGraceMs = 2 * minuteMs

/** A self-registered client without a grant is forgotten after this time. */
export const registrationTtlMs = 30 * 24 * 60 * minuteMs

interface RotatedToken {
  hash: string
  /** Time of its replacement, ms. */
  atMs: number
  /** The successor, readable only with the token itself. */
  next: string
}

export interface RefreshState {
  hash: string
  /** Time of its creation, ms. */
  sinceMs: number
  /** Replaced tokens in their grace, oldest first. */
  rotated: RotatedToken[]
}

export const inGrace = ({ rotated }: Pick<RefreshState, 'rotated'>, nowMs: number): RotatedToken[] =>
  rotated.filter(({ atMs }) => nowMs - atMs < refreshGraceMs)

/** `current`: same answer again. `follow`: leads to the successor. `replayed`: somebody else has an old token. */
export function decideRefresh(state: RefreshState, hash: string, nowMs: number) {
  if (hash === state.hash) return nowMs - state.sinceMs < refreshRestMs ? 'current' : 'rotate'
  return inGrace(state, nowMs).some((each) => each.hash === hash) ? 'follow' : 'replayed'
}
