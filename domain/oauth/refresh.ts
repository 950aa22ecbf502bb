import { minuteMs, secondMs } from '../time.ts'

/** An authorization code is good for this long. */
export const codeTtlMs = minuteMs

/** A second use of a code this soon is its own client's, which was impatient. */
export const codeRetryMs = 10 * secondMs

/** An access token of a connected app, unless the app's time is up before. */
export const accessTtlMs = 60 * minuteMs

/** A refresh token that took over is not itself replaced before this; asking again answers the same. */
export const refreshRestMs = minuteMs

/**
 * A refresh token that was replaced still leads to its successor for this long: programs that share one refresh it at
 * once.
 */
export const refreshGraceMs = 2 * minuteMs

/** A client that registered itself is forgotten after this, unless somebody allowed it something meanwhile. */
export const registrationTtlMs = 30 * 24 * 60 * minuteMs

/** A refresh token as it is kept, by its hash. */
export interface RotatedToken {
  hash: string
  /** When it was replaced, ms. */
  atMs: number
  /** The way from it to its successor, readable only with it. */
  next: string
}

export interface RefreshState {
  /** The hash of the valid refresh token. */
  hash: string
  /** Since when it is, ms. */
  sinceMs: number
  /** Earlier ones, oldest first, as far as they are in their grace. */
  rotated: RotatedToken[]
}

/** Those of the earlier ones that still lead on. */
export const inGrace = ({ rotated }: Pick<RefreshState, 'rotated'>, nowMs: number): RotatedToken[] =>
  rotated.filter(({ atMs }) => nowMs - atMs < refreshGraceMs)

/**
 * A refresh token's meaning within its family. `current`: it is answered as before; `rotate`: its successor is
 * made; `follow`: it leads to its successor; `replayed`: it should not be in use any more, so somebody else has it.
 */
export function decideRefresh(state: RefreshState, hash: string, nowMs: number) {
  if (hash === state.hash) return nowMs - state.sinceMs < refreshRestMs ? 'current' : 'rotate'
  return inGrace(state, nowMs).some((each) => each.hash === hash) ? 'follow' : 'replayed'
}
