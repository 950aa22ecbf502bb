import { isNativeError } from 'node:util/types'

/** Ends a start with one line that says what to do, without a stack trace. */
export class StartProblem extends Error {
  override name = 'StartProblem'
}

export const messageOf = (error: unknown): string => (isNativeError(error) ? error.message : String(error))

/** Whether this is a system error such as EADDRINUSE. */
export const hasCode = (error: unknown, code: string): boolean =>
  isNativeError(error) && 'code' in error && error.code === code
