/** Injected failures. */
export interface Faults {
  /** The API and its files cannot be reached. */
  down: boolean
  /** This many of the next calls get `retryAfterSeconds`. */
  rateLimited: number
  retryAfterSeconds: number
  /** So many of the next calls are done, and their answers lost. */
  answersLost: number
  /** How often each event is delivered again although it was taken. */
  duplicates: number
  /** Whether those, and retries, come under an event id of their own. */
  newEventIds: boolean
  /** Events wait until so many are there, and then come last first; 0 and 1 leave the order. */
  reordered: number
}

export const noFaults = (): Faults => ({
  down: false,
  rateLimited: 0,
  retryAfterSeconds: 1,
  answersLost: 0,
  duplicates: 0,
  newEventIds: false,
  reordered: 0,
})
