import { argumentsJson, objectsIn } from '../json.ts'
import {
  type AnswerChange,
  type AnswerEvent,
  type AnswerReader,
  type AnswerWriter,
  type ContentBlock,
  type FinishReason,
  type ModelAnswer,
  sseOf,
} from './answer.ts'
import { type Fields, objectOr, textOr } from './conversation.ts'
import { argumentsIn } from './messages-request.ts'

export const messagesReader = (): AnswerReader => ({
  readWhole: (json) => [
    startOf(json),
    ...(typeof json.content === 'string' ? [textOf(json.content)] : []),
    ...objectsIn(json.content).flatMap((block, index) => readBlock(block, String(index))),
    ...finishOf(json),
  ],
  readEvent: (json) => {
    switch (json.type) {
      case 'message_start':
        return [startOf(objectOr(json.message))]
      case 'content_block_start':
        return readBlock(objectOr(json.content_block), String(json.index))
      case 'content_block_delta':
        return readDelta(objectOr(json.delta), String(json.index))
      case 'message_delta':
        return finishOf(objectOr(json.delta))
      case 'message_stop':
        return [{ type: 'end' }]
      default:
        return []
    }
  },
})

const startOf = ({ id, model }: Fields): AnswerEvent => ({
  type: 'start',
  id: textOr(id, 'answer'),
  model: textOr(model, ''),
})

const textOf = (text: unknown): AnswerEvent => ({ type: 'text', text: textOr(text, '') })

function readBlock(block: Fields, key: string): AnswerEvent[] {
  switch (block.type) {
    case 'text':
      return [textOf(block.text)]
    case 'thinking':
      return [{ type: 'thinking', text: textOr(block.thinking, '') }]
    case 'tool_use': {
      const call: AnswerEvent = { type: 'call', key, id: textOr(block.id, ''), name: textOr(block.name, '') }
      return [call, { type: 'arguments', key, text: argumentsJson(block.input) }]
    }
    default:
      return []
  }
}

function readDelta(delta: Fields, key: string): AnswerEvent[] {
  switch (delta.type) {
    case 'text_delta':
      return [textOf(delta.text)]
    case 'thinking_delta':
      return [{ type: 'thinking', text: textOr(delta.thinking, '') }]
    case 'input_json_delta':
      return [{ type: 'arguments', key, text: argumentsJson(delta.partial_json) }]
    default:
      return []
  }
}

const finishes: Readonly<Record<string, FinishReason>> = {
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  tool_use: 'calls',
  refusal: 'filter',
}

const finishOf = ({ stop_reason: reason, stop_sequence: sequence }: Fields): AnswerEvent[] =>
  typeof reason === 'string'
    ? [{ type: 'finish', reason: finishes[reason] ?? 'stop', stopSequence: textOr(sequence, null) }]
    : []

export const messagesWriter = () => ({ writeWhole, writeStep }) satisfies AnswerWriter

function writeStep(step: AnswerChange, answer: ModelAnswer): string {
  switch (step.type) {
    case 'start':
      return named({ type: 'message_start', message: messageOf(answer, [], false) })
    case 'begin':
      return named({ type: 'content_block_start', index: step.piece.index, content_block: blockOf(step.piece, false) })
    case 'delta':
      return named({ type: 'content_block_delta', index: step.piece.index, delta: deltaOf(step.piece, step.text) })
    case 'close':
      return named({ type: 'content_block_stop', index: step.piece.index })
    default:
      return endOf(answer)
  }
}

const named = <T extends { type: string }>(event: T): string => sseOf(event, event.type)

function endOf(answer: ModelAnswer): string {
  const delta = { container: null, stop_details: null, ...stopOf(answer) }
  return named({ type: 'message_delta', delta, usage: tokensOf(answer) }) + named({ type: 'message_stop' })
}

const reasons = { stop: 'end_turn', length: 'max_tokens', calls: 'tool_use', filter: 'refusal' } as const

const stopOf = ({ finish, stopSequence }: ModelAnswer) => ({
  stop_reason: stopSequence === null ? reasons[finish ?? 'stop'] : ('stop_sequence' as const),
  stop_sequence: stopSequence,
})

const writeWhole = (answer: ModelAnswer) =>
  messageOf(
    answer,
    answer.pieces.map((piece) => blockOf(piece, true)),
    true,
  )

const messageOf = (answer: ModelAnswer, content: ReturnType<typeof blockOf>[], ended: boolean) => ({
  id: `msg_${answer.id}`,
  type: 'message' as const,
  role: 'assistant' as const,
  model: answer.model,
  content,
  container: null,
  diagnostics: null,
  stop_details: null,
  ...(ended ? stopOf(answer) : { stop_reason: null, stop_sequence: null }),
  usage: {
    ...tokensOf(answer),
    cache_creation: null,
    inference_geo: null,
    service_tier: 'standard' as const,
    speed: null,
  },
})

const tokensOf = ({ usage }: ModelAnswer) => ({
  input_tokens: usage.input,
  cache_creation_input_tokens: usage.cacheWrite,
  cache_read_input_tokens: usage.cachedInput,
  output_tokens: usage.output,
  output_tokens_details: usage.reasoning > 0 ? { thinking_tokens: usage.reasoning } : null,
  server_tool_use: null,
})

/** Nobody signed its thoughts, so they cannot be sent back. */
function blockOf({ type, id, name, text }: ContentBlock, full: boolean) {
  if (type === 'call') {
    const input = full ? argumentsIn(text) : {}
    return { type: 'tool_use' as const, id, name, input, caller: { type: 'direct' as const } }
  }
  const said = full ? text : ''
  if (type === 'thinking') return { type: 'thinking' as const, thinking: said, signature: '' }
  return { type: 'text' as const, text: said, citations: null }
}

function deltaOf({ type }: ContentBlock, text: string) {
  if (type === 'call') return { type: 'input_json_delta' as const, partial_json: text }
  if (type === 'thinking') return { type: 'thinking_delta' as const, thinking: text }
  return { type: 'text_delta' as const, text }
}
