import type { ApiFormat, ResponsePart } from './api-format.ts'
import { maxEventBytes } from './call-limits.ts'
import { estimateTokens, greatestOf, knowsInput, type ReportedUsage, splitInput, type Usage } from './cost.ts'
import { accountReasonIn, errorIn, type FailureReason, isBareError, isError, wordsOf } from './failure.ts'
import { isObject, objectsIn, utf8Length } from './json.ts'
import { ProviderFailure } from './provider-refusal.ts'
import { concatBytes, type SseEvent, SseSplitter } from './sse.ts'
import type { Fields } from './translate/conversation.ts'
import type { AnswerTranslation } from './translate/translate.ts'

const encoder = new TextEncoder()
const decoder = new TextDecoder()

export interface MeteredUsage {
  /** Null without a report. */
  reported: Partial<Usage> | null
  /** True when the report covers the whole call. */
  final: boolean
  /** Counted output tokens: at least one a part, about four bytes each. */
  countedOutput: number
  /** Bytes that reached the client unread; they count as output too. */
  unreadBytes: number
  countedSearches: number
}

export interface MeteredBytes {
  /** Whole events, unchanged or translated, without a usage report that the client did not request. */
  forward: Uint8Array
  failure: FailureReason | null
}

export class UsageMeter {
  readonly #format: ApiFormat
  readonly #hidesUsage: boolean
  readonly #translation: AnswerTranslation | null
  readonly #reshape: () => AnswerTranslation | null
  readonly #splitter = new SseSplitter()
  #reports: ReportedUsage | null = null
  #final = false
  #failed = false
  /** The answer is complete. */
  #ended = false
  #parts = 0
  #bytes = 0
  #unreadBytes = 0
  #searches = 0
  #finished = false
  /** The answer says why it ended. */
  #stopped = false

  /**
   * @param format the provider's; `translation` is for a caller of another one
   * @param reshape for a caller who asked for a stream and gets a whole answer, or the reverse
   */
  constructor(
    format: ApiFormat,
    hidesUsage: boolean,
    translation: AnswerTranslation | null = null,
    reshape = () => translation,
  ) {
    this.#reshape = reshape
    this.#format = format
    this.#hidesUsage = hidesUsage
    this.#translation = translation
  }

  /** The stream may be cut anywhere. */
  readChunk(chunk: Uint8Array): MeteredBytes {
    return this.#readEvents(this.#splitter.push(chunk))
  }

  /** True while nothing of our own may be written, because an event is incomplete. */
  get isWithinEvent(): boolean {
    return this.#splitter.isWithinEvent
  }

  /** Reads what the stream's end left without a blank line. */
  readEnd(): MeteredBytes {
    return this.#end(this.#splitter.end())
  }

  /** After a broken connection; an answer that was complete by then has not failed. */
  readBreak(reason: FailureReason): MeteredBytes {
    const rest = this.#splitter.end().filter(({ data }) => data !== null && this.#isLast(data))
    if (this.#failed || !(this.#ended || rest.length > 0)) return { forward: noBytes, failure: reason }
    return this.#end(rest)
  }

  #end(events: SseEvent[]): MeteredBytes {
    const { forward, failure } = this.#readEvents(events)
    if (failure) return { forward, failure }
    if (!this.#translation) return { forward, failure: this.#saidNothing ? 'no-answer' : null }
    const end = encoder.encode(this.#translation.readEnd(this.#reported))
    return { forward: concatBytes([forward, end]), failure: this.#translation.isFinished ? null : 'no-answer' }
  }

  #isLast(data: string): boolean {
    const json = parseObject(data)
    if (json === null) return data === streamEnd
    const { ended, failed } = this.#format.parseResponse(json)
    return ended && !failed
  }

  get #reported(): Partial<Usage> | null {
    return this.#reports && splitInput(this.#reports)
  }

  /** No output, no reason to stop and no whole report; `[DONE]` alone says nothing. */
  get #saidNothing(): boolean {
    return !this.#stopped && !this.#final && this.usage.countedOutput === 0
  }

  /** Returns JSON, or the `stream` that the client asked for. */
  readWhole(bytes: Uint8Array, stream = false): MeteredBytes {
    const json = parseObject(decoder.decode(bytes))
    if (!json && stream) return { forward: noBytes, failure: 'not-json' }
    try {
      const shown = json ? this.#showWhole(json, bytes, stream) : this.#joinEvents(bytes)
      return { forward: typeof shown === 'string' ? encoder.encode(shown) : shown, failure: null }
    } catch (thrown) {
      // the provider broke the rules of its format
      return { forward: noBytes, failure: thrown instanceof ProviderFailure ? thrown.reason : 'no-answer' }
    }
  }

  /** @throws ProviderFailure */
  #showWhole(json: Fields, bytes: Uint8Array, stream: boolean): string | Uint8Array {
    if (this.#readPart(json).failed) throw unusable(reasonIn(json, 'error-in-answer'))
    if (!this.#format.isAnswer(json)) throw unusable(reasonIn(json, 'no-answer'))
    if (!stream && !this.#translation)
      return bytes[0] === byteOrderMark[0] ? bytes.subarray(byteOrderMark.length) : bytes
    const shown = stream
      ? this.#reshape()?.streamWhole(json, this.#reported)
      : this.#translation?.readWhole(json, this.#reported)
    if (!shown) throw unusable('no-answer')
    return shown
  }

  /** One answer of a stream that nobody asked for. @throws ProviderFailure */
  #joinEvents(bytes: Uint8Array): string {
    const events = [...this.#splitter.push(bytes), ...this.#splitter.end()]
    const reshaping = this.#reshape()
    for (const event of events) {
      const json = parseObject(event.data ?? '')
      const part = json && this.#readPart(json)
      const failure = failureIn(event, json, part)
      if (failure) throw unusable(failure)
      if (!json || !part) continue
      // the last event of Responses has all of the answer in it, save with some servers
      const last = part.ended && !this.#translation && isObject(json.response) ? json.response : {}
      if (objectsIn(last.output).length > 0) return JSON.stringify(last)
      reshaping?.readEvent(json, this.#reported)
    }
    if (events.some(({ data }) => data === streamEnd)) this.#finished = true
    const shown = reshaping?.writeWhole(this.#reported)
    if (!shown) throw unusable('no-answer')
    return shown
  }

  get isFinished(): boolean {
    return this.#finished
  }

  get usage(): MeteredUsage {
    const countedOutput = Math.max(this.#parts, estimateTokens(this.#bytes + this.#unreadBytes))
    return {
      reported: this.#reported,
      final: this.#final && this.#reported?.output !== undefined && knowsInput(this.#reported),
      countedOutput,
      unreadBytes: this.#unreadBytes,
      countedSearches: this.#searches,
    }
  }

  #readEvents(events: SseEvent[]): MeteredBytes {
    const forward: Uint8Array[] = []
    for (const event of events) {
      const { bytes, data, strayBytes } = event
      if (data === streamEnd) this.#finished = true
      const json = data === null ? null : parseObject(data)
      const part = json && this.#readPart(json)
      const failure = failureIn(event, json, part)
      if (failure && this.#ended) continue
      if (failure) {
        this.#failed = true
        return { forward: concatBytes(forward), failure }
      }
      if (data === streamEnd) this.#ended = true
      if (this.#translation) forward.push(this.#translate(this.#translation, json, data, bytes))
      else if (!(this.#hidesUsage && part?.onlyUsage)) {
        this.#unreadBytes += strayBytes + (data === null || isRead(data, part) ? 0 : utf8Length(data))
        forward.push(bytes)
      }
    }
    return { forward: concatBytes(forward), failure: null }
  }

  /** A comment is one in every format. @throws ProviderFailure when the provider breaks the rules of its format */
  #translate(translation: AnswerTranslation, json: Fields | null, data: string | null, bytes: Uint8Array): Uint8Array {
    if (json) {
      try {
        return encoder.encode(translation.readEvent(json, this.#reported))
      } catch {
        throw unusable('no-answer')
      }
    }
    if (data !== null) return encoder.encode(data === streamEnd ? translation.readDone(this.#reported) : '')
    if (bytes.length > maxEventBytes) throw new RangeError('an event is too large to be translated')
    return encoder.encode(commentsIn(decoder.decode(bytes)))
  }

  #readPart(json: Fields): ResponsePart {
    const part = this.#format.parseResponse(json)
    if (part.usage) this.#reports = greatestOf([this.#reports ?? {}, part.usage])
    this.#stopped ||= part.finished
    this.#finished ||= part.finished
    this.#searches += part.searches
    // a report that more output follows does not cover it
    const saysMore = part.outputBytes > 0 && !part.failed
    this.#final = part.final || (this.#final && !saysMore)
    this.#ended ||= part.ended && !part.failed
    if (saysMore) {
      this.#parts++
      this.#bytes += part.outputBytes
    }
    return part
  }
}

const streamEnd = '[DONE]'
const noBytes = Uint8Array.of()

const unusable = (reason: FailureReason) => new ProviderFailure(reason, 'no usable answer')

function failureIn(
  { name, data, strayBytes, isPart }: SseEvent,
  json: Fields | null,
  part: ResponsePart | null,
): FailureReason | null {
  if (isPart) return null
  if (name === 'error') return reasonIn(json ?? {}, 'error-in-answer')
  if (json && part) {
    const failed = part.failed || (!part.isKnown && isBareError(json))
    return failed ? reasonIn(json, 'error-in-answer') : null
  }
  if (strayBytes > 0) return 'not-json'
  return data === null || data === streamEnd ? null : foreignIn(data)
}

const reasonIn = (json: Fields, otherwise: FailureReason): FailureReason =>
  accountReasonIn(wordsOf(errorIn(isObject(json.response) ? json.response : json))) ?? otherwise

function foreignIn(data: string): FailureReason | null {
  if (data === '') return null
  try {
    const value: unknown = JSON.parse(data)
    if (typeof value === 'string') return 'not-json'
    const failed = objectsIn(value).find((item) => isError(item.error) || isBareError(item))
    return failed ? reasonIn(failed, 'error-in-answer') : null
  } catch {
    return 'not-json'
  }
}

const byteOrderMark = [0xef, 0xbb, 0xbf]

/** Drops blank lines: one would end an event that nobody wrote. */
const commentsIn = (event: string): string =>
  event
    .split(/\r\n|\n|\r/)
    .filter((line) => line.startsWith(':'))
    .map((line) => `${line}\n`)
    .join('')

const isRead = (data: string, part: ResponsePart | null): boolean =>
  part?.isKnown ?? (data === '' || data === streamEnd)

function parseObject(text: string): Record<string, unknown> | null {
  const data = text.trim()
  if (!data.startsWith('{')) return null
  try {
    const json: unknown = JSON.parse(data)
    return isObject(json) ? json : null
  } catch {
    return null
  }
}
