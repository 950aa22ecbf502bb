/** Why a machine did not start. */
export class MachineError extends Error {
  /** True when the same start may work later: capacity, throttling, a role not yet known everywhere. */
  readonly recoverable: boolean

  constructor(message: string, recoverable: boolean) {
    super(message)
    this.name = 'MachineError'
    this.recoverable = recoverable
  }
}

/** Whose machine a task is: its `startedBy`. */
export interface Whose {
  userId: string
  generation: number
}

/** Letters, digits, `-`, `_` and `/` are what a task's `startedBy` may hold, 128 characters at most. */
export const startedBy = ({ userId, generation }: Whose): string => `${userId}/${generation}`

/** Null for a task that is no machine of ours. */
export function readStartedBy(text: string | undefined): Whose | null {
  const [, userId, generation] = /^(usr_[0-9A-HJKMNP-TV-Z]{26})\/(\d{1,15})$/.exec(text ?? '') ?? []
  return userId && generation ? { userId, generation: Number(generation) } : null
}

/** ECS's stop codes for a program that ended or did not start by itself; all others are its host's or an operator's doing. */
const ownFault = new Set(['EssentialContainerExited', 'TaskFailedToStart'])

/** `crash` counts towards giving up, `host` does not. A task without a code is taken for a crash, so that no loop is endless. */
export const whyStopped = (stopCode: string | undefined): 'crash' | 'host' =>
  stopCode === undefined || ownFault.has(stopCode) ? 'crash' : 'host'
