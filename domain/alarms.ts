/** What the code itself tells the operators: each name is a metric of CloudWatch's, and an alarm while it is above zero. */
export const alarms = {
  CostAboveHoldMicros: 'A provider reports more than was held: a bound is wrong, and we pay.',
  ImageRolloutHalted:
    'A new image failed several users and goes to nobody else: "npm run admin -- rollout" resumes it.',
  MachineStartFailed:
    'A machine could not be started: the lines of this name in the reconciler’s log say which and why.',
} as const

export type AlarmName = keyof typeof alarms

/** Where CloudWatch keeps these metrics; each has the stage as its one dimension, `stage`. */
export const alarmNamespace = 'Berth'
