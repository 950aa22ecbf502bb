import type { Line } from './memory.ts'

export interface ToolCall {
  id: string
  name: string
  /** A JSON object, as the model wrote it. */
  arguments: string
}

/** Media type, and bytes in base64. */
export interface Image {
  type: string
  data: string
}

/** An answer of the model with the results of its calls, in order: neither is ever sent alone. */
export interface Step {
  text: string
  calls: ToolCall[]
  results: string[]
  /** The model's reasoning, signed by its provider: some providers require it with the calls. */
  thoughts: object[]
}

/** The model's complete input in any format; constant parts come first, so that providers can cache them. */
export interface Conversation {
  system: string
  /** Summary of the conversation before `earlier`; may be empty. */
  before: string
  earlier: readonly Line[]
  message: string
  images: readonly Image[]
  /** Summary of the turn's work before `steps`; may be empty. */
  done: string
  /** The model's plan for this turn; may be empty. */
  plan: string
  steps: readonly Step[]
}

export const beforeNote = ({ before }: Conversation): string =>
  before && `[What was said before, in a summary of your own:]\n${before}`

/** The user's words, followed by the summary and the plan. */
export function messageNote({ message, done, plan }: Conversation): string[] {
  if (!done) return [message]
  const note = `[What you have done for this so far, in a summary of your own:]\n${done}`
  return [message, plan ? `${note}\n\n[Your plan:]\n${plan}` : note]
}

const lengthOf = (texts: readonly string[]): number => texts.reduce((sum, text) => sum + text.length, 0)

export const sizeOfLines = (lines: readonly Line[]): number => lengthOf(lines.map(({ text }) => text))

export const sizeOfStep = ({ text, calls, results, thoughts }: Step): number =>
  text.length +
  lengthOf(results) +
  lengthOf(calls.map((call) => call.name + call.arguments)) +
  (thoughts.length > 0 ? JSON.stringify(thoughts).length : 0)

/** In characters. */
export const sizeOf = (conversation: Conversation): number =>
  lengthOf([conversation.system, conversation.before, ...messageNote(conversation)]) +
  sizeOfLines(conversation.earlier) +
  conversation.steps.reduce((sum, step) => sum + sizeOfStep(step), 0)
