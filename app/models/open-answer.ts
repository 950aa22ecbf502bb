import { isEventStream, shapeOf } from '../../domain/models/answer-shape.ts'
import { heldBeginningMs, maxResponseBytes } from '../../domain/models/call-limits.ts'
import type { FailureReason } from '../../domain/models/failure.ts'
import { ProviderFailure } from '../../domain/models/provider-refusal.ts'
import { concatBytes } from '../../domain/models/sse.ts'
import type { MeteredBytes, UsageMeter } from '../../domain/models/usage-meter.ts'
import type { OnChunk, UpstreamResponse } from '../ports/models.ts'

/** A provider's answer: a whole one, or a stream whose first events have been read. */
export type OpenAnswer = { kind: 'whole'; bytes: Uint8Array; isCut: boolean } | OpenEvents

export interface OpenEvents {
  kind: 'events'
  /** Passes on the events that were read, then the rest as it arrives; see `UpstreamResponse.read`. */
  read(onEvents: OnEvents): Promise<void>
}

/** A returned promise delays the next events. */
type OnEvents = (events: MeteredBytes) => Promise<void> | undefined

/**
 * Reads a requested stream to its first output, for at most `heldBeginningMs`, any other response to its end. Until
 * then, another try can replace a failure.
 * @param meter reads the whole stream, beginning and rest
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

/** Holds a response until its kind is known. */
class Beginning {
  /** The bytes of an answer that is not a stream, or may not be one. */
  #held: Uint8Array[] = []
  #forward: Uint8Array[] = []
  #size = 0
  #kind: 'whole' | 'events' | null
  #isLate = false
  #onChunk: OnChunk | null = null
  /** Resolved when enough was read, and later when the response has ended; there is one waiter at a time. */
  #waiting: PromiseWithResolvers<void> | null = null
  #paused: PromiseWithResolvers<void> | null = null
  #outcome: { thrown: unknown } | null = null
  readonly #meter: UsageMeter
  readonly #isEventStream: boolean

  constructor({ read, type }: UpstreamResponse, meter: UsageMeter, stream: boolean) {
    this.#meter = meter
    this.#isEventStream = isEventStream(type)
    this.#kind = stream ? null : 'whole'
    read((chunk) => (this.#onChunk ? this.#onChunk(chunk) : this.#hold(chunk))).then(
      () => this.#end(null),
      (thrown: unknown) => this.#end(thrown),
    )
  }

  async open(): Promise<OpenAnswer> {
    if (this.#kind === null) await this.#look()
    if (this.#kind === 'events') return { kind: 'events', read: (onEvents) => this.#handOn(onEvents) }
    const thrown = await this.#ended().then(
      () => null,
      (error: unknown) => error,
    )
    if (thrown instanceof ProviderFailure) throw thrown
    return { kind: 'whole', bytes: concatBytes(this.#held), isCut: thrown !== null }
  }

  /** After `heldBeginningMs`, a stream is passed on before its first output. */
  async #look(): Promise<void> {
    const timer = setTimeout(() => {
      this.#isLate = true
      if (this.#isEventStream && this.#kind === null) this.#beginEvents()
      if (this.#kind !== null) this.#waiting?.resolve()
    }, heldBeginningMs)
    await this.#ended().finally(() => clearTimeout(timer))
  }

  async #handOn(onEvents: OnEvents): Promise<void> {
    while (this.#forward.length > 0) {
      const forward = concatBytes(this.#forward)
      this.#forward = []
      await onEvents({ forward, failure: null })
    }
    this.#onChunk = (chunk) => onEvents(this.#meter.readChunk(chunk))
    this.#paused?.resolve()
    this.#paused = null
    await this.#ended()
  }

  /** @throws the error that broke the response */
  #ended(): Promise<void> {
    this.#waiting = Promise.withResolvers()
    const { promise } = this.#waiting
    this.#tellEnd()
    return promise
  }

  #tellEnd(): void {
    if (!this.#waiting || !this.#outcome) return
    if (this.#outcome.thrown === null) this.#waiting.resolve()
    else this.#waiting.reject(this.#outcome.thrown)
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
    this.#waiting?.resolve()
    this.#paused ??= Promise.withResolvers()
    return this.#paused.promise
  }

  #findKind(): void {
    const shape = shapeOf(concatBytes(this.#held))
    if (shape === 'neither') throw failed('not-json')
    if (shape === 'events') this.#beginEvents()
    if (shape === 'json') {
      this.#kind = 'whole'
      this.#waiting?.resolve()
    }
  }

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

  #end(thrown: unknown): void {
    this.#outcome = { thrown: thrown ?? this.#missing() }
    this.#tellEnd()
  }

  /** The failure of a response that ended within its beginning. */
  #missing(): ProviderFailure | null {
    if (this.#onChunk || this.#kind === 'whole') return null
    if (this.#kind === null) return failed('no-answer')
    const { forward, failure } = this.#meter.readEnd()
    if (failure) return failed(failure)
    this.#forward.push(forward)
    return null
  }
}
