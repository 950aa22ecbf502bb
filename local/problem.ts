import { isNativeError } from 'node:util/types'

/** A start that cannot go on, said in one line that tells the reader what to do. Printed without a stack trace. */
export class StartProblem extends Error {
  override name = 'StartProblem'
}

/** The text of whatever was thrown. */
export function messageOf(error: unknown): string {
  return isNativeError(error) ? error.message : String(error)
}

/** Whether this is the system's error of that name, such as EADDRINUSE. */
export function hasCode(error: unknown, code: string): boolean {
  return isNativeError(error) && 'code' in error && error.code === code
}
