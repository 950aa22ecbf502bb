/** The maximum hourly cost of an idle awake machine and its open dashboard. */
export const idleHour = { invocations: 12, storeRequests: 120 }

/** Connections of an awake machine and an open dashboard. */
export const idleConnections = 2

/** Store calls, and capacity units of both kinds, of a machine's model call. */
export const modelCallStore = { requests: 5, units: 13 }

/** Capacity units of something whose text is kept: reads, writes, and more writes for each KiB of the text. */
export interface KeptText {
  reads: number
  writes: number
  writesPerKib: number
}

/** Capacity units of a message that a person or program sends. */
export const sentMessage: KeptText = { reads: 3, writes: 10, writesPerKib: 5 }

/** Capacity units of the cheapest end of a message: its sender stops it. */
export const stoppedMessage: KeptText & { readsPerKib: number } = {
  ...{ reads: 2, writes: 8, writesPerKib: 2 },
  readsPerKib: 0.25,
}

/** Capacity units of a delivery to a hook whose agent is awake; the text is what the agent is given. */
export const hookDelivery: KeptText = { reads: 6, writes: 20, writesPerKib: 5 }

/** Store calls, and capacity units of both kinds, of an event that no webhook endpoint of its user wants. */
export const unwantedEvent = { requests: 1, units: 1 }

/** The cost of an event for one webhook endpoint that accepts it at once. */
export const webhookDelivery: KeptText & { invocations: number; busEvents: number } = {
  ...{ reads: 4, writes: 12, writesPerKib: 4 },
  ...{ invocations: 2, busEvents: 1 },
}

/** Store calls, and capacity units of both kinds, of a notification without its e-mail and its pushes. */
export const notificationStore = { requests: 6, units: 11 }

/** Calls to ECS from a wish to a started machine whose definition is up to date. */
export const wakeEcsCalls = { DescribeTaskDefinition: 1, RunTask: 1 }

/**
 * The maximum cost of a wake and the following sleep: a schedule, its prompt and answer, four changes of state, three
 * checks. Half of the functions are invoked by the machine through the API.
 */
export const wake = { invocations: 16, apiRequests: 8, storeRequests: 90, busEvents: 4 }

/** How long an invocation takes when nothing is cold, ms; assumed, since no cloud has been measured. */
export const invocationMs = 150

/** Shares of users for the capacity of an account; assumed. */
export const load = {
  /** The share of users whose machine is awake at the busiest time. */
  awake: 0.2,
  /** Of those, who wait for a model's answer at the same moment. */
  calling: 0.1,
  /** The share of users whose schedule runs in the same minute: eight in the morning. */
  scheduledTogether: 0.1,
}

/** How long a model call holds its function, seconds; assumed: a provider writes that long. */
export const modelCallSeconds = 15
