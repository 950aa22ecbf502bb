import type { Outcome } from '../../domain/chat/message.ts'
import type { Code } from '../../domain/errors.ts'

/** `files` are paths on the volume. */
export interface Reply {
  text: string
  outcome: Outcome
  files?: string[]
  /** The error of the call for which there is no answer. */
  refusal?: Code
}
