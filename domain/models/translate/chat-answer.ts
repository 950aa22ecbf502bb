import { isObject, objectsIn } from '../json.ts'
import { callsIn, messageIn, textsIn, type WrittenCall } from '../openai-message.ts'
import {
  type AnswerChange,
  type AnswerEvent,
  type AnswerReader,
  type AnswerWriter,
  allInput,
  type ContentBlock,
  type FinishReason,
  type ModelAnswer,
  sseOf,
} from './answer.ts'
import { CallReader } from './chat-calls.ts'
import { type Fields, textOr } from './conversation.ts'

/** Only the first choice, since no other format has more. */
export function chatReader(): AnswerReader {
  const calls = new CallReader()
  let hasContent = false
  const read = (json: Fields, message: Fields, made: readonly WrittenCall[]): AnswerEvent[] => {
    const written = [...textsIn(message), ...made.flatMap((call) => calls.read(call))]
    hasContent ||= written.length > 0
    return [startOf(json), ...written]
  }
  return {
    readWhole: (json) => {
      const choice = objectsIn(json.choices)[0] ?? {}
      const message = messageIn(choice)
      const made = callsIn(message).map((call, index) => ({ ...call, index }))
      const events = [...read(json, message, made), ...calls.readEnd()]
      // not every server says of a whole answer why it ends there
      const finish = finishOf(choice)
      return [
        ...events,
        ...(finish.length === 0 && hasContent ? [{ type: 'finish' as const, reason: 'stop' as const }] : finish),
      ]
    },
    readEvent: (json) => {
      const choice = objectsIn(json.choices).find(({ index }) => typeof index !== 'number' || index === 0)
      if (!choice) return []
      // a message in place of a delta repeats what the stream has said
      const repeats = hasContent && !isObject(choice.delta) && isObject(choice.message)
      const message = repeats ? {} : messageIn(choice)
      const finish = finishOf(choice)
      const events = read(json, message, callsIn(message))
      return [...events, ...(finish.length > 0 ? calls.readEnd() : []), ...finish]
    },
  }
}

const startOf = ({ id, model }: Fields): AnswerEvent => ({
  type: 'start',
  id: textOr(id, 'answer'),
  model: textOr(model, ''),
})

const finishes: Readonly<Record<string, FinishReason>> = {
  length: 'length',
  max_tokens: 'length',
  tool_calls: 'calls',
  tool_use: 'calls',
  function_call: 'calls',
  content_filter: 'filter',
}

const finishOf = ({ finish_reason: reason }: Fields): AnswerEvent[] =>
  typeof reason === 'string' && reason !== ''
    ? [{ type: 'finish', reason: finishes[reason.toLowerCase()] ?? 'stop' }]
    : []

const reasons = { stop: 'stop', length: 'length', calls: 'tool_calls', filter: 'content_filter' } as const

export function chatWriter(hidesUsage: boolean) {
  const chunk = (answer: ModelAnswer, delta: object, finish_reason: string | null = null) =>
    sseOf(chunkOf(answer, [{ index: 0, delta, logprobs: null, finish_reason }], hidesUsage))
  const writeStep = (step: AnswerChange, answer: ModelAnswer): string => {
    switch (step.type) {
      case 'start':
        return chunk(answer, { role: 'assistant', content: '' })
      case 'begin':
        return step.piece.type === 'call' ? chunk(answer, { tool_calls: [beginCall(step.piece, answer)] }) : ''
      case 'delta':
        return chunk(answer, deltaOf(step.piece, step.text, answer))
      case 'close':
        return ''
      default:
        return chunk(answer, {}, reasons[answer.finish ?? 'stop']) + usageChunk(answer, hidesUsage) + sseOf('[DONE]')
    }
  }
  return { writeWhole, writeStep } satisfies AnswerWriter
}

const chunkOf = ({ id, created, model }: ModelAnswer, choices: object[], hidesUsage: boolean) => ({
  id: `chatcmpl-${id}`,
  object: 'chat.completion.chunk',
  created,
  model,
  choices,
  ...(!hidesUsage && { usage: null }),
})

const usageChunk = (answer: ModelAnswer, hidesUsage: boolean): string =>
  hidesUsage ? '' : sseOf({ ...chunkOf(answer, [], true), usage: usageOf(answer) })

const callIndex = ({ index }: ContentBlock, { pieces }: ModelAnswer): number =>
  pieces.slice(0, index).filter(({ type }) => type === 'call').length

const beginCall = (piece: ContentBlock, answer: ModelAnswer) => ({
  index: callIndex(piece, answer),
  id: piece.id,
  type: 'function',
  function: { name: piece.name, arguments: '' },
})

function deltaOf(piece: ContentBlock, text: string, answer: ModelAnswer): object {
  switch (piece.type) {
    case 'call':
      return { tool_calls: [{ index: callIndex(piece, answer), function: { arguments: text } }] }
    case 'thinking':
      return { reasoning_content: text }
    case 'refusal':
      return { refusal: text }
    default:
      return { content: text }
  }
}

const joined = (answer: ModelAnswer, type: ContentBlock['type']): string | null => {
  const texts = answer.pieces.filter((piece) => piece.type === type).map(({ text }) => text)
  return texts.length === 0 ? null : texts.join('')
}

function writeWhole(answer: ModelAnswer) {
  const calls = answer.pieces.filter(({ type }) => type === 'call')
  const thinking = joined(answer, 'thinking')
  const message = {
    role: 'assistant' as const,
    content: joined(answer, 'text') ?? (calls.length > 0 ? null : ''),
    refusal: joined(answer, 'refusal'),
    ...(thinking !== null && { reasoning_content: thinking }),
    ...(calls.length > 0 && {
      tool_calls: calls.map(({ id, name, text }) => ({
        id,
        type: 'function' as const,
        function: { name, arguments: text },
      })),
    }),
  }
  return {
    id: `chatcmpl-${answer.id}`,
    object: 'chat.completion' as const,
    created: answer.created,
    model: answer.model,
    choices: [{ index: 0, message, logprobs: null, finish_reason: reasons[answer.finish ?? 'stop'] }],
    usage: usageOf(answer),
  }
}

function usageOf({ usage }: ModelAnswer) {
  const prompt_tokens = allInput(usage)
  return {
    prompt_tokens,
    completion_tokens: usage.output,
    total_tokens: prompt_tokens + usage.output,
    prompt_tokens_details: { cached_tokens: usage.cachedInput },
    completion_tokens_details: { reasoning_tokens: usage.reasoning },
  }
}
