import type { Line } from './memory.ts'

export interface ToolCall {
  id: string
  name: string
  /** A JSON object, as the model wrote it. */
  arguments: string
}

/** An image as models take it: its media type, and its bytes in base64. */
export interface Image {
  type: string
  data: string
}

/** One answer of the model with what its calls brought, in their order: neither is ever sent without the other. */
export interface Step {
  text: string
  calls: ToolCall[]
  results: string[]
  /** The model's reasoning, signed by its provider: some providers require it back with the calls. */
  thoughts: object[]
}

/** The model's complete input, in any format: constant parts come first, so that providers can cache them. */
export interface Conversation {
  system: string
  /** The model's summary of the conversation before `earlier`; empty if there is none. */
  before: string
  earlier: readonly Line[]
  /** The user's words of this turn. */
  asked: string
  /** The images that came with them. */
  images: readonly Image[]
  /** The model's summary of the turn's work before `steps`; empty if there is none. */
  done: string
  /** The model's plan for this turn; empty while it has none. */
  plan: string
  steps: readonly Step[]
}

/** The summary of earlier turns, as the model reads it. */
export const beforeNote = ({ before }: Conversation): string =>
  before && `[What was said before, in a summary of your own:]\n${before}`

/** The user's words of this turn, followed by the turn's steps that are left out. */
export function askedNote({ asked, done, plan }: Conversation): string[] {
  if (!done) return [asked]
  const note = `[What you have done for this so far, in a summary of your own:]\n${done}`
  return [asked, plan ? `${note}\n\n[Your plan:]\n${plan}` : note]
}

const lengthOf = (texts: readonly string[]): number => texts.reduce((sum, text) => sum + text.length, 0)

/** Characters of the lines. */
export const sizeOfLines = (lines: readonly Line[]): number => lengthOf(lines.map(({ text }) => text))

/** Characters of a step. */
export const sizeOfStep = ({ text, calls, results, thoughts }: Step): number =>
  text.length +
  lengthOf(results) +
  lengthOf(calls.map((call) => call.name + call.arguments)) +
  (thoughts.length > 0 ? JSON.stringify(thoughts).length : 0)

/** Characters of all of it. */
export const sizeOf = (conversation: Conversation): number =>
  lengthOf([conversation.system, conversation.before, ...askedNote(conversation)]) +
  sizeOfLines(conversation.earlier) +
  conversation.steps.reduce((sum, step) => sum + sizeOfStep(step), 0)
