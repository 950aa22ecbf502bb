import type { InstanceRecord } from './instance.ts'

/** `supervisor` has the tokens; `runtime` runs the agent's processes. */
export const containerNames = { supervisor: 'supervisor', runtime: 'runtime' } as const

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

/** Users of the containers, each also with its group. The image's `agent` and the files on a volume have the runtime's. */
export const uids = { supervisor: 1001, runtime: 1000 } as const

/** MiB: two model calls of 32 MB, and the supervisor itself. */
export const supervisorMemoryMiB = 128

/** MiB; a program that exceeds it is killed. */
export const runtimeMemoryMiB = ({ memoryMiB }: { memoryMiB: number }): number => memoryMiB - supervisorMemoryMiB

/** `missing`: the host does not know the machine, or not yet. */
export type TaskStatus = 'starting' | 'running' | 'stopping' | 'stopped' | 'missing'

/** The first try uses spare capacity, on which the plans' prices are based; the next ones use ordinary capacity. */
export const takesSpareCapacity = ({ failedStarts }: Pick<InstanceRecord, 'failedStarts'>): boolean =>
  failedStarts === 0
