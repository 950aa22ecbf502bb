import type { InstanceRecord } from './instance.ts'

/** The obstacle to a machine, by its stable code, in words for the instance's owner. */
const messages = {
  capacity: 'The cloud has no room for the machine right now. It is tried again by itself.',
  quota: 'A limit of the service has been reached. It is retried automatically, and we have been notified.',
  image: 'The machine’s software could not be fetched. It is tried again by itself.',
  stopped: 'The operator of this service has stopped it for now. It starts by itself when that is over.',
  'start-failed': 'The machine could not be started. Resume the instance to try again; if that fails, contact support.',
} as const
export type StartFailureCode = keyof typeof messages

export const failureOf = (code: StartFailureCode, recoverable: boolean) => ({
  code,
  message: messages[code],
  recoverable,
})

/** Why a machine did not start. */
export class MachineError extends Error {
  readonly code: StartFailureCode
  /** True when the same start may work later: capacity, throttling, a role not yet known everywhere. */
  readonly recoverable: boolean

  constructor(message: string, recoverable: boolean, code: StartFailureCode = 'start-failed') {
    super(message)
    this.code = code
    this.name = 'MachineError'
    this.recoverable = recoverable
  }
}

/** Memory that is kept for the supervisor's container of a machine, MiB: two model calls of 32 MB, and itself. */
export const supervisorMemoryMiB = 128

/** The runtime's container's memory of a machine, MiB; a program that exceeds it is killed. */
export const runtimeMemoryMiB = ({ memoryMiB }: { memoryMiB: number }): number => memoryMiB - supervisorMemoryMiB

/** A machine as its host shows it; `missing` is one the host does not know, or does not know yet. */
export type TaskStatus = 'starting' | 'running' | 'stopping' | 'stopped' | 'missing'

/**
 * A first try runs on spare capacity, by which the plans' prices are made; when there is none, the next on ordinary
 * capacity.
 */
export const takesSpareCapacity = ({ failedStarts }: Pick<InstanceRecord, 'failedStarts'>): boolean =>
  failedStarts === 0
