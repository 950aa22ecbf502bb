/** What stands in the way of a machine, by its stable code. */
const troubles = {
  capacity: 'The cloud has no room for the machine right now. It is tried again by itself.',
  quota: 'A limit of the service has been reached. It is tried again by itself, and we have been told.',
  image: 'The machine’s software could not be fetched. It is tried again by itself.',
  'start-failed': 'The machine could not be started. Resume the instance to try again; if that fails, contact support.',
} as const
export type MachineTrouble = keyof typeof troubles

/** What the instance's owner is told. */
export const failureOf = (code: MachineTrouble, recoverable: boolean) => ({
  code,
  message: troubles[code],
  recoverable,
})

/** What is in the way, by what ECS says of a start or a stop; null when it says nothing that is known. */
export function troubleOf(text: string): MachineTrouble | null {
  if (/CannotPull|pull image|image .*not found|manifest unknown/i.test(text)) return 'image'
  if (/capacity|RESOURCE:/i.test(text)) return 'capacity'
  if (/limit|quota|throttl|rate exceeded/i.test(text)) return 'quota'
  return null
}

/** Why a machine did not start. */
export class MachineError extends Error {
  readonly code: MachineTrouble
  /** True when the same start may work later: capacity, throttling, a role not yet known everywhere. */
  readonly recoverable: boolean

  constructor(message: string, recoverable: boolean, code: MachineTrouble = 'start-failed') {
    super(message)
    this.code = code
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
