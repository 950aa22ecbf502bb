export const iso = (ms: number): string => new Date(ms).toISOString()

/** The UTC day of an instant, such as `2026-11-20`. */
export const dateOf = (ms: number): string => iso(ms).slice(0, 10)

export const secondMs = 1_000
export const minuteMs = 60 * secondMs
export const hourMs = 60 * minuteMs
export const dayMs = 24 * hourMs

/**
 * Whether something was made in this hour. Such things share one count of the hour for their user, so that a user who deletes one and
 * makes the next gets no new allowance in the same hour.
 */
export const isOfHour = (madeMs: number, nowMs: number): boolean =>
  Math.floor(madeMs / hourMs) === Math.floor(nowMs / hourMs)
