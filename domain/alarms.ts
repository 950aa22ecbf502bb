/** Each name is a CloudWatch metric, with an alarm while it is above zero. */
export const alarms = {
  BooksOutOfBalance: 'Wallets differ from their ledgers: money was counted wrong.',
  CostAboveHoldMicros: 'A provider reports more than was held: a bound is wrong, and we pay.',
  EndpointFailing: 'Webhook endpoints of several users began to fail at the same time.',
  FailedCallMicros: 'Providers bill calls that failed before any output: nobody is charged for them, and we pay.',
  FollowUpsWithoutWrite: 'Follow-ups of a change were kept although the change wrote nothing: a use case has a fault.',
  ImageRolloutHalted: 'A new image failed several users and goes to nobody else.',
  InstancesStuck: 'Instances wait for a change of state that is overdue.',
  MachineStartFailed: 'A machine could not be started.',
  MailsReturned: 'Mails to several addresses came back for good, or were called spam, within an hour.',
  SettlementFailed: 'The cost of a model call could not be written after all retries.',
  WebhookFailed: 'An event that the billing provider or a chat platform sent was answered 5xx.',
} as const

export type AlarmName = keyof typeof alarms

/** Metrics whose alarms need more than one value, or that have none, with CloudWatch's units. */
export const measures = {
  /** Time from a person's message to the first text of its reply, wake-up included. */
  FirstWordMs: 'Milliseconds',
  /** A model call that was held: 1 if its provider failed it, otherwise 0. */
  ModelCallFailed: 'Count',
  /** An answer 5xx whose cause is a provider; 1. */
  ProviderErrorAnswered: 'Count',
  /** AWS took back the spare capacity of a machine; 1. */
  SpotInterrupted: 'Count',
  /** A job of the clock has done all of its work; 1. Dimension `job`: the job's id. */
  JobDone: 'Count',
  /** A settlement counted bytes that reached the client but that the meter could not read; 1. Dimension `model`. */
  AnswerUnread: 'Count',
  /** A try at a provider failed; 1. Dimensions `provider` and `reason`. */
  ProviderFailed: 'Count',
  /** Duration of a request in its function, without streamed answers. */
  RequestMs: 'Milliseconds',
} as const

export type MeasureName = keyof typeof measures

/** CloudWatch's namespace; each metric has the dimension `stage`. */
export const alarmNamespace = 'Berth'
