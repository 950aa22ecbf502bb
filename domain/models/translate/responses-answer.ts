import { argumentsJson, objectsIn } from '../json.ts'
import {
  type AnswerChange,
  type AnswerEvent,
  type AnswerReader,
  type AnswerWriter,
  allInput,
  type ContentBlock,
  type ModelAnswer,
  sseOf,
} from './answer.ts'
import { type Fields, objectOr, textOr } from './conversation.ts'

/** Some servers send no pieces: an item's whole text counts where no piece came. */
export function responsesReader(): AnswerReader {
  const places = new Set<string>()
  const once = (place: string, events: readonly AnswerEvent[]): readonly AnswerEvent[] => {
    if (events.length === 0 || places.has(place)) return []
    places.add(place)
    return events
  }
  const readEvent = (event: Fields): AnswerEvent[] => {
    const key = keyOf(event)
    const item = objectOr(event.item)
    const piece = readPiece(event, key)
    if (piece) {
      places.add(key)
      return [piece]
    }
    switch (event.type) {
      case 'response.created':
      case 'response.in_progress':
        return [startOf(objectOr(event.response))]
      case 'response.output_item.added':
        // without a number each item is the last one
        if (key === '') places.clear()
        return [...once(`${key} call`, beginIn(item, key))]
      case 'response.output_item.done':
        return [...once(`${key} call`, beginIn(item, key)), ...once(key, saidIn(item, key))]
      case 'response.function_call_arguments.done':
        return [...once(key, argumentsIn(event.arguments, key))]
      case 'response.reasoning_summary_part.added':
        return event.summary_index === 0 ? [] : [{ type: 'thinking', text: '\n\n' }]
      case 'response.completed':
      case 'response.incomplete': {
        const response = objectOr(event.response)
        return [
          startOf(response),
          ...(places.size > 0 ? [] : readOutput(response)),
          finishOf(response),
          { type: 'end' },
        ]
      }
      default:
        return []
    }
  }
  return { readWhole: (json) => [startOf(json), ...readOutput(json), finishOf(json)], readEvent }
}

const readOutput = ({ output }: Fields): AnswerEvent[] =>
  objectsIn(output).flatMap((item, index) => [...beginIn(item, String(index)), ...saidIn(item, String(index))])

const keyOf = ({ output_index: index, item_id: id }: Fields): string => String(index ?? id ?? '')

function readPiece({ type, delta }: Fields, key: string): AnswerEvent | null {
  switch (type) {
    case 'response.function_call_arguments.delta':
      return { type: 'arguments', key, text: argumentsJson(delta) }
    case 'response.output_text.delta':
      return { type: 'text', text: textOr(delta, '') }
    case 'response.refusal.delta':
      return { type: 'refusal', text: textOr(delta, '') }
    case 'response.reasoning_summary_text.delta':
    case 'response.reasoning_text.delta':
      return { type: 'thinking', text: textOr(delta, '') }
    default:
      return null
  }
}

const startOf = ({ id, model }: Fields): AnswerEvent => ({
  type: 'start',
  id: textOr(id, 'answer'),
  model: textOr(model, ''),
})

function argumentsIn(given: unknown, key: string): AnswerEvent[] {
  const text = argumentsJson(given)
  return text === '' ? [] : [{ type: 'arguments', key, text }]
}

const beginIn = ({ type, call_id: id, name }: Fields, key: string): AnswerEvent[] =>
  type === 'function_call' ? [{ type: 'call', key, id: textOr(id, ''), name: textOr(name, '') }] : []

function saidIn(item: Fields, key: string): AnswerEvent[] {
  switch (item.type) {
    case 'function_call':
      return argumentsIn(item.arguments, key)
    case 'reasoning': {
      const parts = [...objectsIn(item.summary), ...objectsIn(item.content)]
      return [{ type: 'thinking', text: parts.map(({ text }) => textOr(text, '')).join('\n\n') }]
    }
    case 'message':
      if (typeof item.content === 'string') return [{ type: 'text', text: item.content }]
      return objectsIn(item.content).map(({ type, text, refusal }) =>
        type === 'refusal' ? { type, text: textOr(refusal, '') } : { type: 'text', text: textOr(text, '') },
      )
    default:
      return []
  }
}

function finishOf({ status, incomplete_details: details }: Fields): AnswerEvent {
  if (status !== 'incomplete') return { type: 'finish', reason: 'stop' }
  return { type: 'finish', reason: objectOr(details).reason === 'content_filter' ? 'filter' : 'length' }
}

export function responsesWriter() {
  let sequence = 0
  const event = (type: string, more: object): string => sseOf({ type, sequence_number: sequence++, ...more }, type)
  const writeStep = (step: AnswerChange, answer: ModelAnswer): string => {
    switch (step.type) {
      case 'start': {
        const response = responseOf(answer, false)
        return event('response.created', { response }) + event('response.in_progress', { response })
      }
      case 'begin':
        return beginEvents(step.piece, answer, event)
      case 'delta':
        return event(...deltaEvent(step.piece, step.text, answer))
      case 'close':
        return closeEvents(step.piece, answer, event)
      default:
        return event(`response.${statusOf(answer)}`, { response: responseOf(answer, true) })
    }
  }
  return { writeWhole: (answer: ModelAnswer) => responseOf(answer, true), writeStep } satisfies AnswerWriter
}

type Event = (type: string, more: object) => string

const itemId = ({ type, index }: ContentBlock, answer: ModelAnswer): string =>
  `${{ text: 'msg', refusal: 'msg', thinking: 'rs', call: 'fc' }[type]}_${answer.id}_${index}`

const placeOf = (piece: ContentBlock, answer: ModelAnswer) => ({
  item_id: itemId(piece, answer),
  output_index: piece.index,
})

function beginEvents(piece: ContentBlock, answer: ModelAnswer, event: Event): string {
  const place = placeOf(piece, answer)
  const added = event('response.output_item.added', { output_index: piece.index, item: itemOf(piece, answer, false) })
  if (piece.type === 'call') return added
  if (piece.type === 'thinking')
    return added + event('response.reasoning_summary_part.added', { ...place, summary_index: 0, part: summaryOf('') })
  return added + event('response.content_part.added', { ...place, content_index: 0, part: contentOf(piece, false) })
}

function deltaEvent(piece: ContentBlock, delta: string, answer: ModelAnswer): [string, object] {
  const place = placeOf(piece, answer)
  switch (piece.type) {
    case 'call':
      return [
        `response.${piece.own?.freeform ? 'custom_tool_call_input' : 'function_call_arguments'}.delta`,
        { ...place, delta },
      ]
    case 'thinking':
      return ['response.reasoning_summary_text.delta', { ...place, summary_index: 0, delta }]
    case 'refusal':
      return ['response.refusal.delta', { ...place, content_index: 0, delta }]
    default:
      return ['response.output_text.delta', { ...place, content_index: 0, delta, logprobs: [] }]
  }
}

function closeEvents(piece: ContentBlock, answer: ModelAnswer, event: Event): string {
  const done = doneEvents(piece, answer).map(([type, more]) => event(type, { ...placeOf(piece, answer), ...more }))
  const item = itemOf(piece, answer, true)
  return [...done, event('response.output_item.done', { output_index: piece.index, item })].join('')
}

function doneEvents(piece: ContentBlock, { pieces: _ }: ModelAnswer): [string, object][] {
  const { type, text, name, own } = piece
  switch (type) {
    case 'call':
      return own?.freeform
        ? [['response.custom_tool_call_input.done', { input: text }]]
        : [['response.function_call_arguments.done', { name, arguments: text }]]
    case 'thinking':
      return [
        ['response.reasoning_summary_text.done', { summary_index: 0, text }],
        ['response.reasoning_summary_part.done', { summary_index: 0, part: summaryOf(text) }],
      ]
    case 'refusal':
      return [
        ['response.refusal.done', { content_index: 0, refusal: text }],
        ['response.content_part.done', { content_index: 0, part: contentOf(piece, true) }],
      ]
    default:
      return [
        ['response.output_text.done', { content_index: 0, text, logprobs: [] }],
        ['response.content_part.done', { content_index: 0, part: contentOf(piece, true) }],
      ]
  }
}

const summaryOf = (text: string) => ({ type: 'summary_text' as const, text })

function contentOf({ type, text }: ContentBlock, full: boolean) {
  const said = full ? text : ''
  if (type === 'refusal') return { type: 'refusal' as const, refusal: said }
  return { type: 'output_text' as const, text: said, annotations: [], logprobs: [] }
}

/** @param full false for the item's beginning */
function itemOf(piece: ContentBlock, answer: ModelAnswer, full: boolean) {
  const id = itemId(piece, answer)
  const status = full ? ('completed' as const) : ('in_progress' as const)
  const { type, text } = piece
  if (type === 'call') return callItem(piece, id, status, full)
  if (type === 'thinking') return { id, type: 'reasoning' as const, summary: full ? [summaryOf(text)] : [], status }
  const content = full ? [contentOf(piece, true)] : []
  return { id, type: 'message' as const, role: 'assistant' as const, status, content }
}

function callItem(
  { id: call_id, name, own, text }: ContentBlock,
  id: string,
  status: 'completed' | 'in_progress',
  full: boolean,
) {
  const namespace = own?.namespace ? { namespace: own.namespace } : {}
  const said = full ? text : ''
  if (own?.freeform) return { id, type: 'custom_tool_call' as const, call_id, name, ...namespace, input: said }
  return { id, type: 'function_call' as const, call_id, name, ...namespace, arguments: said, status }
}

const statusOf = ({ finish }: ModelAnswer) =>
  finish === 'length' || finish === 'filter' ? ('incomplete' as const) : ('completed' as const)

function responseOf(answer: ModelAnswer, full: boolean) {
  const status = full ? statusOf(answer) : ('in_progress' as const)
  const reason = answer.finish === 'filter' ? ('content_filter' as const) : ('max_output_tokens' as const)
  return {
    id: `resp_${answer.id}`,
    object: 'response' as const,
    created_at: answer.created,
    status,
    error: null,
    incomplete_details: status === 'incomplete' ? { reason } : null,
    instructions: null,
    metadata: {},
    model: answer.model,
    output: full ? answer.pieces.map((piece) => itemOf(piece, answer, true)) : [],
    parallel_tool_calls: true,
    temperature: null,
    tool_choice: 'auto' as const,
    tools: [],
    top_p: null,
    store: false,
    usage: full ? usageOf(answer) : null,
  }
}

function usageOf({ usage }: ModelAnswer) {
  const input_tokens = allInput(usage)
  return {
    input_tokens,
    input_tokens_details: { cached_tokens: usage.cachedInput, cache_write_tokens: usage.cacheWrite },
    output_tokens: usage.output,
    output_tokens_details: { reasoning_tokens: usage.reasoning },
    total_tokens: input_tokens + usage.output,
  }
}
