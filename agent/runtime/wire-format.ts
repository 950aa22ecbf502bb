import type { TurnTrigger } from '../../domain/chat/message.ts'
import type { RuntimeSettings } from '../kit/environment.ts'
import type { Conversation, ToolCall } from './conversation.ts'

/** Tokens; `input` includes `cached`. */
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

export interface ListedTool {
  name: string
  description: string
  /** JSON Schema. */
  parameters: object
}

export interface ModelCall {
  model: string
  /** The turn's trigger, for the receipt, and its proof. */
  trigger: TurnTrigger
  turn: string
  conversation: Conversation
  tools: readonly ListedTool[]
  /** False when the model may only talk. */
  mayCall: boolean
  stop?: AbortSignal
}

export interface WireFormat {
  address(settings: RuntimeSettings): string
  headers(settings: RuntimeSettings): Record<string, string>
  body(call: ModelCall): object
  reader(): AnswerReader
}

interface AnswerReader {
  /** Takes an event's data. @returns the text so far; null at the end @throws ServiceError for a reported failure */
  read(data: string): string | null
  /** Null for an answer that was cut off. */
  end(): Completion | null
}
