/**
 * Alarms that the code raises: each name is a CloudWatch metric, and an alarm while it is above zero.
 */
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

/** Measurements that are no alarm by themselves, with CloudWatch's units. */
export const measures = {
  /** A job of the clock has done all of its work; 1. Its dimension `job` is the job's id. */
  JobDone: 'Count',
  /**
   * A model call was settled on bytes that reached its client and that the meter could not read; 1. Its dimension is
   * `model`.
   */
  AnswerUnread: 'Count',
  /** A try at a provider failed; 1. Its dimensions are `provider` and `reason`. */
  ProviderFailed: 'Count',
  /** Time of a request of a person's or a program's in its function, answers that stream left out. */
  RequestMs: 'Milliseconds',
} as const

export type MeasureName = keyof typeof measures

/** Where CloudWatch keeps these metrics; each has the stage as a dimension, `stage`. */
export const alarmNamespace = 'Berth'
