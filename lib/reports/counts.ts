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

/** Bytes that an invocation writes to its log, with the access log of its request and Lambda's own lines; assumed. */
export const invocationLogBytes = 2_500

/** An ordinary month of a user on the Starter plan; assumed, since no stage has run yet. */
export const userMonth = {
  /** Hours with an awake machine: three a day. */
  awakeHours: 93,
  /** Share of these hours on ordinary capacity. */
  ordinaryShare: 0.05,
  modelCalls: 300,
  wakes: 60,
  volumeGib: 1,
  /** Share of the volume that nobody reads for 30 days. */
  rareShare: 0.5,
  readGib: 5,
  writtenGib: 2,
  /** GiB of items in tables. */
  storeGib: 0.02,
  /** GiB that the machine and the API send to the internet. */
  outGib: 1,
  /** GiB and requests of the dashboard's pages and API. */
  edgeGib: 0.2,
  edgeRequests: 2_000,
  mails: 4,
  /** Messages over WebSockets, at most 32 KiB each. */
  socketMessages: 3_000,
  /** Names that the machine looks up. */
  nameQueries: 10_000,
  /** MiB of the machine's own log. */
  machineLogMib: 20,
  /** MiB of names that the machine looks up. */
  nameLogMib: 5,
  /** MiB of rejected flows of an address that is public for a whole month: scanners. */
  rejectedLogMib: 45,
  /** Flow lines an hour of an awake machine's own connections, and bytes of a line. */
  acceptedFlows: 120,
  flowBytes: 150,
  /** Share of invocations that start a new process, which reads its secrets. */
  coldShare: 0.02,
  secretsRead: 3,
  /** Calls to the key of users' variables for each start of a machine. */
  keyCalls: 2,
}

/** A month of a stage without users; assumed. */
export const stageMonth = {
  /** GiB of all images of machines that are kept. */
  imagesGib: 5,
  builds: 4,
  buildMinutes: 15,
}

/** How long a model call holds its function, seconds; assumed: a provider writes that long. */
export const modelCallSeconds = 15
