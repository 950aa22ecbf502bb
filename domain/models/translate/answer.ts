import type { Usage } from '../cost.ts'
import { noUsage } from '../cost.ts'
import type { OwnTool } from './conversation.ts'
import { freeformIn } from './responses-request.ts'

export type FinishReason = 'stop' | 'length' | 'calls' | 'filter'

/** What a provider says next, in the words of no format. */
export type AnswerEvent =
  | { type: 'start'; id: string; model: string }
  | { type: 'text' | 'thinking' | 'refusal'; text: string }
  | { type: 'call'; id: string; name: string }
  | { type: 'arguments'; text: string }
  | { type: 'finish'; reason: FinishReason; stopSequence?: string | null }
  | { type: 'end' }

/** One piece of an answer: a text, a thought, or a call with the arguments it has so far. */
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

/** A change of an answer that a stream tells of. */
export type AnswerChange =
  | { type: 'start' | 'end' }
  | { type: 'begin' | 'close'; piece: ContentBlock }
  | { type: 'delta'; piece: ContentBlock; text: string }

/** Puts an answer together of what is said, and tells each change: pieces come one after the other. */
export class AnswerBuilder {
  readonly answer: ModelAnswer
  readonly #ownTools: ReadonlyMap<string, OwnTool>
  #open: ContentBlock | null = null
  #ended = false

  constructor(ownTools: ReadonlyMap<string, OwnTool>, created: number) {
    this.#ownTools = ownTools
    this.answer = {
      id: '',
      model: '',
      pieces: [],
      finish: null,
      stopSequence: null,
      usage: noUsage,
      created,
    }
  }

  take(said: AnswerEvent): AnswerChange[] {
    switch (said.type) {
      case 'start':
        if (this.answer.id !== '') return []
        this.answer.id = said.id.replace(/^[a-z]+[-_]/, '') || 'answer'
        this.answer.model = said.model
        return [{ type: 'start' }]
      case 'call':
        return [...this.#close(), ...this.#begin('call', said.id, said.name)]
      case 'arguments':
        return this.#argue(said.text)
      case 'finish':
        this.answer.finish = this.#reason(said.reason)
        this.answer.stopSequence = said.stopSequence ?? null
        return []
      case 'end':
        return this.#end()
      default:
        return this.#say(said.type, said.text)
    }
  }

  #argue(text: string): AnswerChange[] {
    if (this.#open?.type === 'call') return this.#write(this.#open, text)
    if (text !== '') throw new Error('the provider wrote arguments outside of a call')
    return []
  }

  #say(type: ContentBlock['type'], text: string): AnswerChange[] {
    if (text === '') return []
    if (this.#open?.type === type) return this.#write(this.#open, text)
    const began = [...this.#close(), ...this.#begin(type)]
    return this.#open ? [...began, ...this.#write(this.#open, text)] : began
  }

  #begin(type: ContentBlock['type'], id = '', name = ''): AnswerChange[] {
    const own = this.#ownTools.get(name) ?? null
    const index = this.answer.pieces.length
    const piece = { type, index, text: '', id: id || `call_${this.answer.id}_${index}`, name: own?.name ?? name, own }
    this.answer.pieces.push(piece)
    this.#open = piece
    return [{ type: 'begin', piece }]
  }

  /** The text for a tool that takes text is known when all of the JSON around it is. */
  #write(piece: ContentBlock, text: string): AnswerChange[] {
    piece.text += text
    return text === '' || piece.own?.freeform ? [] : [{ type: 'delta', piece, text }]
  }

  #close(): AnswerChange[] {
    const piece = this.#open
    this.#open = null
    if (!piece) return []
    const close: AnswerChange = { type: 'close', piece }
    if (piece.type !== 'call' || (piece.text !== '' && !piece.own?.freeform)) return [close]
    // a call without arguments is told with an empty object
    piece.text = piece.own?.freeform ? freeformIn(piece.text) : '{}'
    return [{ type: 'delta', piece, text: piece.text }, close]
  }

  #end(): AnswerChange[] {
    if (this.#ended) return []
    this.#ended = true
    return [...this.#close(), { type: 'end' }]
  }

  /** Not every provider says of calls that it stopped for them. */
  #reason(reason: FinishReason): FinishReason {
    const calls = this.answer.pieces.some(({ type }) => type === 'call')
    return reason === 'stop' && calls ? 'calls' : reason
  }
}

/** Reads a provider's answer: `readWhole` a JSON document, `readEvent` the events of one stream in their order. */
export interface AnswerReader {
  readWhole(json: Readonly<Record<string, unknown>>): AnswerEvent[]
  readEvent(json: Readonly<Record<string, unknown>>): AnswerEvent[]
}

/** Writes an answer for its caller: `writeWhole` as a JSON document, `writeStep` as the events of one stream. */
export interface AnswerWriter {
  writeWhole(answer: ModelAnswer): object
  writeStep(step: AnswerChange, answer: ModelAnswer): string
}

export const sseOf = (data: object | string, event?: string): string =>
  `${event === undefined ? '' : `event: ${event}\n`}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`

/** Input tokens as OpenAI counts them, the cached among them. */
export const allInput = ({ input, cachedInput, cacheWrite }: Usage): number => input + cachedInput + cacheWrite
