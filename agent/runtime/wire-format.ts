import type { TurnTrigger } from '../../domain/chat/message.ts'
import type { RuntimeSettings } from '../environment.ts'
import type { Conversation, ToolCall } from './conversation.ts'

/** Tokens; `cached` is a part of `input`. */
export interface Usage {
  input: number
  cached: number
  output: number
}

export interface Completion {
  text: string
  calls: ToolCall[]
  thoughts: object[]
  usage: Usage
}

/** A tool in the model's format. */
export interface ListedTool {
  name: string
  description: string
  /** JSON Schema. */
  parameters: object
}

export interface ModelCall {
  model: string
  /** The turn's trigger, for the receipt, and the token that proves it. */
  trigger: TurnTrigger
  turn: string
  conversation: Conversation
  tools: readonly ListedTool[]
  /** False when it may only talk. */
  mayCall: boolean
  /** Ends the call. */
  stop?: AbortSignal
}

/** How a conversation is said to a provider, and its answer read. */
export interface WireFormat {
  address(settings: RuntimeSettings): string
  headers(settings: RuntimeSettings): Record<string, string>
  body(call: ModelCall): object
  reader(): AnswerReader
}

/** Reads one answer. */
export interface AnswerReader {
  /**
   * Takes an event's data; the text so far, or null when nothing follows. @throws ServiceError when it reports a
   * failure
   */
  read(data: string): string | null
  /** The answer; null when it was cut off. */
  end(): Completion | null
}
