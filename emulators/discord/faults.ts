/** Injected failures. Everything is zero at first. */
export interface Faults {
  /** The API answers 503 and the gateway takes nobody until then, ms since the epoch. */
  downUntilMs: number
  /** So many requests are answered with 429, each with this wait in seconds. */
  rateLimited: { requests: number; retryAfter: number }
  /** So many requests are done, and their answer never arrives. */
  droppedAnswers: number
  /** Each event of the gateway is sent so many times more, under a sequence number of its own. */
  duplicates: number
  /** So many events of the gateway are held back, and then sent in the opposite order. */
  reordered: number
  /** Heartbeats are not acknowledged: the connection looks open, and is dead. */
  deaf: boolean
}

export const noFaults = (): Faults => ({
  downUntilMs: 0,
  rateLimited: { requests: 0, retryAfter: 1 },
  droppedAnswers: 0,
  duplicates: 0,
  reordered: 0,
  deaf: false,
})
