import { argumentsJson, isObject, objectsIn, textBytes } from './json.ts'

type Fields = Readonly<Record<string, unknown>>

interface WrittenText {
  type: 'text' | 'thinking' | 'refusal'
  text: string
}

export interface WrittenCall {
  /** The number among the answer's calls; null where the server gives none. */
  index: number | null
  /** Empty when absent, as is the name. */
  id: string
  name: string
  arguments: string
  /** The arguments came as a value, so they are no piece. */
  isWhole: boolean
}

/** A server of completions writes `text` in place of a message. */
export function messageIn(choice: Fields): Fields {
  const message = isObject(choice.delta) ? choice.delta : isObject(choice.message) ? choice.message : {}
  return { ...message, content: message.content ?? choice.text }
}

export const textsIn = (message: Fields): WrittenText[] =>
  [...thoughtsIn(message), ...contentIn(message.content), ...written('refusal', message.refusal)].filter(
    ({ text }) => text !== '',
  )

/** Servers repeat the same thought under several names: the first non-empty one counts. */
const thoughtsIn = ({ reasoning_content, reasoning, thinking, reasoning_details, thinking_blocks }: Fields) =>
  [reasoning_content, reasoning, thinking, reasoning_details, thinking_blocks]
    .map((thought) => written('thinking', thought))
    .find((texts) => texts.some(({ text }) => text !== '')) ?? []

const contentIn = (content: unknown): WrittenText[] =>
  [content].flat().flatMap((part) => {
    if (!isObject(part)) return written('text', part)
    if (part.type === 'refusal') return written('refusal', part.refusal ?? part.text)
    const isThought = part.type === 'thinking' || part.type === 'reasoning'
    return written(isThought ? 'thinking' : 'text', part)
  })

function written(type: WrittenText['type'], value: unknown): WrittenText[] {
  if (typeof value === 'string') return [{ type, text: value }]
  if (Array.isArray(value)) return value.flatMap((each) => written(type, each))
  return isObject(value) ? written(type, value.text ?? value.thinking ?? value.summary ?? value.content) : []
}

/** `function_call` is from before there were tools. */
export function callsIn(message: Fields): WrittenCall[] {
  const calls = objectsIn(message.tool_calls)
  const read = calls.map((call, position) => callIn(call, calls.length > 1 ? position : null))
  return isObject(message.function_call) ? [...read, callIn(message.function_call, 0)] : read
}

function callIn(call: Fields, position: number | null): WrittenCall {
  const { name, arguments: written, input } = bodyOf(call)
  const args = written ?? input
  return {
    index: typeof call.index === 'number' ? call.index : position,
    id: textOf(call.id),
    name: textOf(name),
    arguments: argumentsJson(args),
    isWhole: isObject(args),
  }
}

/** Some servers leave out the object around name and arguments. */
const bodyOf = (call: Fields): Fields => {
  if (isObject(call.function)) return call.function
  return isObject(call.custom) ? call.custom : call
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

export function writtenBytes(choice: Fields): number {
  const message = messageIn(choice)
  const calls = callsIn(message).flatMap((call) => [call.name, call.arguments])
  return textBytes([...textsIn(message).map(({ text }) => text), ...calls])
}
