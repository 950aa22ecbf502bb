/** What an idle awake machine and its open dashboard cause in an hour, at most. */
export const idleHour = { invocations: 12, storeRequests: 120 }

/** Connections of an awake machine and an open dashboard. */
export const idleConnections = 2

/** Store calls, and capacity units of both kinds, of a machine's model call. */
export const modelCallStore = { requests: 5, units: 13 }

/** Store calls, and capacity units of both kinds, of a delivery of the longest text to a hook whose agent is awake. */
export const delivery = { requests: 10, units: 103 }

/** Store calls, and capacity units of both kinds, of a message that a person or program sends, and units more for each KiB of its text. */
export const sentMessage = { requests: 8, units: 12, unitsPerKib: 6 }

/** Store calls, and capacity units of both kinds, of an event that no webhook endpoint of its user wants. */
export const unwantedEvent = { requests: 1, units: 1 }

/** What an event of an ordinary size causes that one webhook endpoint takes at once. */
export const webhookDelivery = { requests: 7, units: 14, invocations: 2, busEvents: 1 }

/** Store calls, and capacity units of both kinds, of a notification beside its mail and its pushes. */
export const notificationStore = { requests: 6, units: 11 }

/** Calls to ECS from a wish to a started machine whose definition is up to date. */
export const wakeEcsCalls = { DescribeTaskDefinition: 1, RunTask: 1 }

/**
 * What a wake and the sleep after it cause, at most: a schedule, its prompt and answer, four changes of state, three
 * looks. Half of the functions are invoked by the machine through the API.
 */
export const wake = { invocations: 16, apiRequests: 8, storeRequests: 90, busEvents: 4 }

/** How long an invocation takes when nothing is cold, ms; assumed, since no cloud has been measured. */
export const invocationMs = 150

/** Shares of users for the capacity of an account; assumed. */
export const load = {
  /** Of all users, whose machine is awake at the busiest time. */
  awake: 0.2,
  /** Of those, who wait for a model's answer at the same moment. */
  calling: 0.1,
  /** Of all users, whose schedule comes in the same minute: eight in the morning. */
  scheduledTogether: 0.1,
}

/** How long a model call holds its function, seconds; assumed: a provider writes that long. */
export const modelCallSeconds = 15
