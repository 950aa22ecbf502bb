/** Most requests of an hour with an idle awake machine and an open dashboard. */
export const idleHour = { invocations: 12, storeRequests: 120 }

export const idleConnections = 2

/** Store calls, and capacity units of both kinds, of a machine's model call. */
export const modelCallStore = { requests: 5, units: 13 }

/** Capacity units of an operation that stores a text; `writesPerKib` are more writes for each KiB of text. */
export interface KeptText {
  reads: number
  writes: number
  writesPerKib: number
}

/** A message of a person or program. */
export const sentMessage: KeptText = { reads: 3, writes: 10, writesPerKib: 5 }

/** The cheapest end of a message: its sender stops it. */
export const stoppedMessage: KeptText & { readsPerKib: number } = {
  ...{ reads: 2, writes: 8, writesPerKib: 2 },
  readsPerKib: 0.25,
}

/** A delivery to a hook whose agent is awake; the text is the agent's part. */
export const hookDelivery: KeptText = { reads: 6, writes: 20, writesPerKib: 5 }

/** An event that no webhook endpoint of its user receives. */
export const unwantedEvent = { requests: 1, units: 1 }

/** An event for one webhook endpoint that accepts it at once. */
export const webhookDelivery: KeptText & { invocations: number; busEvents: number } = {
  ...{ reads: 4, writes: 12, writesPerKib: 4 },
  ...{ invocations: 2, busEvents: 1 },
}

/** Without e-mail and pushes. */
export const notificationStore = { requests: 6, units: 11 }

/**
 * A wake and the following sleep: a schedule, its prompt and answer, four changes of state, three checks. The machine
 * invokes half of the functions through the API.
 */
export const wake = { invocations: 16, apiRequests: 8, storeRequests: 90, busEvents: 4 }

/** Duration of a warm invocation, ms; assumed, since no cloud has been measured. */
export const invocationMs = 150

/** Shares of users for the capacity of an account; assumed. */
export const load = {
  /** Share of users with an awake machine at the busiest time. */
  awake: 0.2,
  /** Share of those that wait for a model's answer at the same moment. */
  calling: 0.1,
  /** Share of users with a schedule in the same minute: eight in the morning. */
  scheduledTogether: 0.1,
}

/** How long a model call holds its function, seconds; assumed: a provider writes that long. */
export const modelCallSeconds = 15
