/** What an idle awake machine and its open dashboard cause in an hour, at most. */
export const idleHour = { invocations: 12, storeRequests: 120 }

/** Connections of an awake machine and an open dashboard. */
export const idleConnections = 2

/** Store calls, and capacity units of both kinds, of a machine's model call. */
export const modelCallStore = { requests: 5, units: 11 }

/** Calls to ECS from a wish to a started machine whose definition is up to date. */
export const wakeEcsCalls = { DescribeTaskDefinition: 1, RunTask: 1 }

/** What a wake and the sleep after it cause, at most: a schedule, its prompt and answer, four changes of state, three looks. */
export const wake = { invocations: 16, storeRequests: 120, busEvents: 4 }

/** How long an invocation takes when nothing is cold, ms; assumed, since no cloud has been measured. */
export const invocationMs = 150

/** How long a model call holds its function, seconds; assumed: a provider writes that long. */
export const modelCallSeconds = 15
