import { noUsage, type Usage } from '../cost.ts'
import { textBytes } from '../json.ts'
import type { OwnTool } from './conversation.ts'
import { freeformIn } from './responses-request.ts'

export type FinishReason = 'stop' | 'length' | 'calls' | 'filter'

/** In no format's words. Arguments have the `key` of their call, because calls may be written side by side. */
export type AnswerEvent =
  | { type: 'start'; id: string; model: string }
  | { type: 'text' | 'thinking' | 'refusal'; text: string }
  | { type: 'call'; key: string; id: string; name: string }
  | { type: 'arguments'; key: string; text: string }
  | { type: 'finish'; reason: FinishReason; stopSequence?: string | null }
  | { type: 'end' }

export interface ContentBlock {
  type: 'text' | 'thinking' | 'refusal' | 'call'
  index: number
  text: string
  /** Of a call. */
  id: string
  name: string
  own: OwnTool | null
}

export interface ModelAnswer {
  /** The provider's own id, without the prefix of its format. */
  id: string
  model: string
  pieces: ContentBlock[]
  finish: FinishReason | null
  stopSequence: string | null
  usage: Usage
  /** Seconds since 1970. */
  created: number
}

export type AnswerChange =
  | { type: 'start' | 'end' }
  | { type: 'begin' | 'close'; piece: ContentBlock }
  | { type: 'delta'; piece: ContentBlock; text: string }

/**
 * Pieces begin and close one after the other, as Messages requires: a piece after an unfinished call waits for its end.
 */
export class AnswerBuilder {
  readonly answer: ModelAnswer
  readonly #ownTools: ReadonlyMap<string, OwnTool>
  readonly #idFor: (id: string) => string
  readonly #calls = new Map<string, ContentBlock>()
  /** Open pieces; the first one is sent as it grows. */
  readonly #open: ContentBlock[] = []
  #started = false
  #ended = false

  /** @param idFor converts a call's id for the caller's format */
  constructor(ownTools: ReadonlyMap<string, OwnTool>, created: number, idFor = (id: string): string => id) {
    this.#ownTools = ownTools
    this.#idFor = idFor
    this.answer = {
      id: 'answer',
      model: '',
      pieces: [],
      finish: null,
      stopSequence: null,
      usage: noUsage,
      created,
    }
  }

  take(event: AnswerEvent): AnswerChange[] {
    switch (event.type) {
      case 'start':
        return this.#start(event.id, event.model)
      case 'call':
        return this.#call(event.key, event.id, event.name)
      case 'arguments':
        return this.#argue(event.key, event.text)
      case 'finish':
        this.answer.finish = event.reason
        this.answer.stopSequence = event.stopSequence ?? null
        return []
      case 'end':
        return this.#end()
      default:
        return this.#say(event.type, event.text)
    }
  }

  get bytes(): number {
    return textBytes(this.answer.pieces.flatMap(({ name, text }) => [name, text]))
  }

  #start(id: string, model: string): AnswerChange[] {
    if (this.#started) return []
    this.#started = true
    this.answer.id = id.replace(/^[a-z]+[-_]/, '') || 'answer'
    this.answer.model = model
    return [{ type: 'start' }]
  }

  #call(key: string, id: string, name: string): AnswerChange[] {
    const began = this.#begin('call', id, name)
    const piece = this.answer.pieces.at(-1)
    if (piece) this.#calls.set(key, piece)
    return began
  }

  #argue(key: string, text: string): AnswerChange[] {
    const call = this.#calls.get(key)
    if (text === '') return []
    if (!call) throw new Error('the provider wrote arguments outside of a call')
    // some servers begin every call with an empty object
    if (call.text === '' && text.trim() === emptyArguments) return []
    if (!this.#open.includes(call)) throw new Error('the provider went back to a call that was over')
    return [...this.#write(call, text), ...this.#advance()]
  }

  #say(type: ContentBlock['type'], text: string): AnswerChange[] {
    if (text === '') return []
    const last = this.#open.at(-1)
    if (last?.type === type) return this.#write(last, text)
    const began = this.#begin(type)
    const piece = this.answer.pieces.at(-1)
    return piece ? [...began, ...this.#write(piece, text)] : began
  }

  #begin(type: ContentBlock['type'], id = '', name = ''): AnswerChange[] {
    const started = this.#start('answer', '')
    const own = this.#ownTools.get(name) ?? null
    const index = this.answer.pieces.length
    const piece = { type, index, text: '', id: this.#freeId(id, index), name: own?.name ?? name, own }
    this.answer.pieces.push(piece)
    this.#open.push(piece)
    return [...started, ...(this.#open.length === 1 ? [{ type: 'begin' as const, piece }] : this.#advance())]
  }

  /** Some providers give calls no ids, or the same one. */
  #freeId(id: string, index: number): string {
    const given = this.#idFor(id || `call_${this.answer.id}_${index}`)
    return this.answer.pieces.some((piece) => piece.id === given) ? `${given}_${index}` : given
  }

  /** The text for a tool that takes text is known only with all of the JSON around it. */
  #write(piece: ContentBlock, text: string): AnswerChange[] {
    piece.text += text
    return this.#open[0] !== piece || piece.own?.freeform ? [] : [{ type: 'delta', piece, text }]
  }

  #advance(): AnswerChange[] {
    const changes: AnswerChange[] = []
    for (let [first, next] = this.#open; first && next && isOver(first); [first, next] = this.#open)
      changes.push(...this.#closeFirst())
    return changes
  }

  #closeFirst(): AnswerChange[] {
    const piece = this.#open.shift()
    if (!piece) return []
    const [next] = this.#open
    return [...closing(piece), ...(next ? opening(next) : [])]
  }

  #end(): AnswerChange[] {
    if (this.#ended) return []
    this.#ended = true
    const changes = this.#start('answer', '')
    while (this.#open.length > 0) changes.push(...this.#closeFirst())
    this.answer.finish = this.#reason()
    return [...changes, { type: 'end' }]
  }

  /** Providers differ in reporting a stop for calls. */
  #reason(): FinishReason | null {
    const { finish, pieces } = this.answer
    if (finish !== 'stop' && finish !== 'calls') return finish
    return pieces.some(({ type }) => type === 'call') ? 'calls' : 'stop'
  }
}

const emptyArguments = '{}'

const isOver = (piece: ContentBlock): boolean => piece.type !== 'call' || isWhole(piece.text)

export function isWhole(text: string): boolean {
  if (!text.trimEnd().endsWith('}')) return false
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

const opening = (piece: ContentBlock): AnswerChange[] => [
  { type: 'begin', piece },
  ...(piece.text === '' || piece.own?.freeform ? [] : [{ type: 'delta' as const, piece, text: piece.text }]),
]

function closing(piece: ContentBlock): AnswerChange[] {
  const close: AnswerChange = { type: 'close', piece }
  if (piece.type !== 'call' || (piece.text !== '' && !piece.own?.freeform)) return [close]
  // a call without arguments is told with an empty object
  piece.text = piece.own?.freeform ? freeformIn(piece.text) : emptyArguments
  return [{ type: 'delta', piece, text: piece.text }, close]
}

/** `readEvent` reads the events of one stream in their order. */
export interface AnswerReader {
  readWhole(json: Readonly<Record<string, unknown>>): AnswerEvent[]
  readEvent(json: Readonly<Record<string, unknown>>): AnswerEvent[]
}

/** `writeWhole` returns a JSON document, `writeStep` events of one stream. */
export interface AnswerWriter {
  writeWhole(answer: ModelAnswer): object
  writeStep(step: AnswerChange, answer: ModelAnswer): string
}

export const sseOf = (data: object | string, event?: string): string =>
  `${event === undefined ? '' : `event: ${event}\n`}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`

export const allInput = ({ input, cachedInput, cacheWrite }: Usage): number => input + cachedInput + cacheWrite
