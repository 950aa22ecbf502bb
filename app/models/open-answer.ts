import { isEventStream, shapeOf } from '../../domain/models/answer-shape.ts'
import { heldBeginningMs, maxResponseBytes } from '../../domain/models/call-limits.ts'
import type { FailureReason } from '../../domain/models/failure.ts'
import { ProviderFailure } from '../../domain/models/refusal.ts'
import { concatBytes } from '../../domain/models/sse.ts'
import type { MeteredBytes, UsageMeter } from '../../domain/models/usage-meter.ts'
import type { OnChunk, UpstreamResponse } from './ports.ts'

/** A provider's answer: all of it, or events of which the first have been read. */
export type OpenAnswer = { kind: 'whole'; bytes: Uint8Array; isCut: boolean } | OpenEvents

export interface OpenEvents {
  kind: 'events'
  /** Hands over the events that were read, and then the rest as it comes; see `UpstreamResponse.read`. */
  read(onEvents: OnEvents): Promise<void>
}

/** Takes what a meter read; a promise asks to be waited for. */
type OnEvents = (events: MeteredBytes) => Promise<void> | undefined

/**
 * Reads a response so far that it is known whether it begins with an answer: a stream that was asked for to its first
 * output, though no longer than `heldBeginningMs`, and anything else to its end. Until then a failure can be made good
 * by another try.
 * @param meter reads the beginning of a stream, and goes on with the rest
 * @throws ProviderFailure
 */
export async function openAnswer(response: UpstreamResponse, meter: UsageMeter, stream: boolean): Promise<OpenAnswer> {
  const beginning = new Beginning(response, meter, stream)
  try {
    return await beginning.open()
  } catch (thrown) {
    response.cancel()
    throw thrown instanceof ProviderFailure ? thrown : failed('cut-off')
  }
}

const failed = (reason: FailureReason) =>
  new ProviderFailure(reason, reason === 'cut-off' ? 'cut off' : 'no usable answer')

/** The part of a response that is kept until it is known what it is. */
class Beginning {
  /** The result of an answer that is not a stream, or may not be one. */
  #held: Uint8Array[] = []
  /** The client's part of a stream's beginning. */
  #forward: Uint8Array[] = []
  #size = 0
  #kind: 'whole' | 'events' | null
  #isLate = false
  #onChunk: OnChunk | null = null
  readonly #enough = Promise.withResolvers<void>()
  readonly #taken = Promise.withResolvers<void>()
  readonly #ended: Promise<void>
  readonly #meter: UsageMeter
  readonly #isEventStream: boolean

  constructor({ read, type }: UpstreamResponse, meter: UsageMeter, stream: boolean) {
    this.#meter = meter
    this.#isEventStream = isEventStream(type)
    this.#kind = stream ? null : 'whole'
    this.#ended = read((chunk) => (this.#onChunk ? this.#onChunk(chunk) : this.#hold(chunk)))
    this.#ended.catch(() => {}) // Its reader hears of it.
  }

  async open(): Promise<OpenAnswer> {
    if (this.#kind === null) await this.#look()
    if (this.#kind === 'events') return { kind: 'events', read: (onEvents) => this.#handOn(onEvents) }
    const thrown = await this.#ended.then(
      () => null,
      (error: unknown) => error,
    )
    if (thrown instanceof ProviderFailure) throw thrown
    return { kind: 'whole', bytes: concatBytes(this.#held), isCut: thrown !== null }
  }

  /**
   * Reads until enough of a stream has been seen. A stream is passed on even while its provider still thinks before its
   * first word.
   */
  async #look(): Promise<void> {
    const timer = setTimeout(() => {
      this.#isLate = true
      if (this.#isEventStream && this.#kind === null) this.#beginEvents()
      if (this.#kind !== null) this.#enough.resolve()
    }, heldBeginningMs)
    const ended = this.#ended.then(() => this.#end())
    await Promise.race([this.#enough.promise, ended]).finally(() => clearTimeout(timer))
    ended.catch(() => {}) // Its reader hears of it.
  }

  async #handOn(onEvents: OnEvents): Promise<void> {
    while (this.#forward.length > 0) {
      const forward = concatBytes(this.#forward)
      this.#forward = []
      await onEvents({ forward, failure: null })
    }
    this.#onChunk = (chunk) => onEvents(this.#meter.readChunk(chunk))
    this.#taken.resolve()
    await this.#ended
  }

  #hold(chunk: Uint8Array): Promise<void> | undefined {
    this.#size += chunk.length
    if (this.#size > maxResponseBytes) throw failed('too-large')
    if (this.#kind === 'events') this.#readEvents(chunk)
    else {
      this.#held.push(chunk)
      if (this.#kind === null) this.#findKind()
    }
    if (this.#kind !== 'events' || !(this.#isLate || this.#meter.usage.countedOutput > 0)) return undefined
    this.#enough.resolve()
    return this.#taken.promise
  }

  #findKind(): void {
    const shape = shapeOf(concatBytes(this.#held))
    if (shape === 'neither') throw failed('not-json')
    if (shape === 'events') this.#beginEvents()
    if (shape === 'json') {
      this.#kind = 'whole'
      this.#enough.resolve()
    }
  }

  /** The held bytes are the beginning of a stream. */
  #beginEvents(): void {
    this.#kind = 'events'
    const held = concatBytes(this.#held)
    this.#held = []
    this.#readEvents(held)
  }

  #readEvents(bytes: Uint8Array): void {
    this.#keep(this.#meter.readChunk(bytes))
  }

  #keep({ forward, failure }: MeteredBytes): void {
    if (failure) throw failed(failure)
    this.#forward.push(forward)
  }

  /** @throws ProviderFailure when the response ended without an answer */
  #end(): void {
    if (this.#kind === null) throw failed('no-answer')
    if (this.#kind === 'whole') return
    this.#keep(this.#meter.readEnd())
  }
}
