export const iso = (ms: number): string => new Date(ms).toISOString()

/** The UTC day, such as `2026-11-20`. */
export const dateOf = (ms: number): string => iso(ms).slice(0, 10)

export const secondMs = 1_000
export const minuteMs = 60 * secondMs
export const hourMs = 60 * minuteMs
export const dayMs = 24 * hourMs

/** Things of one hour share one count, so that deleting one and making the next gives no new allowance. */
export const isOfHour = (madeMs: number, nowMs: number): boolean =>
  Math.floor(madeMs / hourMs) === Math.floor(nowMs / hourMs)
