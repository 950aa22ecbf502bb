import { isEventStream, shapeOf } from '../../domain/models/answer-shape.ts'
import { heldBeginningMs, maxResponseBytes } from '../../domain/models/call-limits.ts'
import type { FailureReason } from '../../domain/models/failure.ts'
import { ProviderFailure } from '../../domain/models/refusal.ts'
import { concatBytes } from '../../domain/models/sse.ts'
import type { UsageMeter } from '../../domain/models/usage-meter.ts'
import type { OnChunk, UpstreamResponse } from './ports.ts'

/** A provider's answer: all of it, or events of which the first have been looked at. */
export type OpenAnswer =
  | { kind: 'whole'; bytes: Uint8Array; isCut: boolean }
  | { kind: 'events'; read: UpstreamResponse['read'] }

/**
 * Reads a response so far that it is known whether it begins with an answer: a stream that was asked for to its first
 * output, though no longer than `heldBeginningMs`, and anything else to its end. Until then a failure can be made good by
 * another try.
 * @param probe reads the beginning of a stream, and nothing else
 * @throws ProviderFailure
 */
export async function openAnswer(response: UpstreamResponse, probe: UsageMeter, stream: boolean): Promise<OpenAnswer> {
  const beginning = new Beginning(response, probe, stream)
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
  readonly #held: Uint8Array[] = []
  #size = 0
  #kind: 'whole' | 'events' | null
  #isLate = false
  #onChunk: OnChunk | null = null
  readonly #enough = Promise.withResolvers<void>()
  readonly #taken = Promise.withResolvers<void>()
  readonly #ended: Promise<void>
  readonly #probe: UsageMeter
  readonly #isEventStream: boolean

  constructor({ read, type }: UpstreamResponse, probe: UsageMeter, stream: boolean) {
    this.#probe = probe
    this.#isEventStream = isEventStream(type)
    this.#kind = stream ? null : 'whole'
    this.#ended = read((chunk) => (this.#onChunk ? this.#onChunk(chunk) : this.#hold(chunk)))
    this.#ended.catch(() => {}) // Its reader hears of it.
  }

  async open(): Promise<OpenAnswer> {
    if (this.#kind === null) await this.#look()
    if (this.#kind === 'events') return { kind: 'events', read: (onChunk) => this.#handOn(onChunk) }
    const thrown = await this.#ended.then(
      () => null,
      (error: unknown) => error,
    )
    if (thrown instanceof ProviderFailure) throw thrown
    return { kind: 'whole', bytes: concatBytes(this.#held), isCut: thrown !== null }
  }

  /** Reads until enough of a stream has been seen. A stream is passed on even while its provider still thinks before its first word. */
  async #look(): Promise<void> {
    const timer = setTimeout(() => {
      this.#isLate = true
      if (this.#isEventStream) this.#kind ??= 'events'
      if (this.#kind !== null) this.#enough.resolve()
    }, heldBeginningMs)
    const ended = this.#ended.then(() => this.#end())
    await Promise.race([this.#enough.promise, ended]).finally(() => clearTimeout(timer))
    ended.catch(() => {}) // Its reader hears of it.
  }

  /** Hands on what is held, and then the rest as it comes. */
  async #handOn(onChunk: OnChunk): Promise<void> {
    for (let chunk = this.#held.shift(); chunk; chunk = this.#held.shift()) await onChunk(chunk)
    this.#onChunk = onChunk
    this.#taken.resolve()
    await this.#ended
  }

  #hold(chunk: Uint8Array): Promise<void> | undefined {
    this.#held.push(chunk)
    this.#size += chunk.length
    if (this.#size > maxResponseBytes) throw failed('too-large')
    if (this.#kind === 'whole') return undefined
    if (this.#kind === 'events') this.#probeEvents(chunk)
    else this.#findKind()
    if (this.#kind !== 'events' || !(this.#isLate || this.#probe.usage.countedOutput > 0)) return undefined
    this.#enough.resolve()
    return this.#taken.promise
  }

  #findKind(): void {
    const all = concatBytes(this.#held)
    const shape = shapeOf(all)
    if (shape === 'neither') throw failed('not-json')
    if (shape === null) return
    this.#kind = shape === 'events' ? 'events' : 'whole'
    if (this.#kind === 'events') this.#probeEvents(all)
    else this.#enough.resolve()
  }

  #probeEvents(bytes: Uint8Array): void {
    const { failure } = this.#probe.readChunk(bytes)
    if (failure) throw failed(failure)
  }

  /** @throws ProviderFailure when the response ended without an answer */
  #end(): void {
    if (this.#kind === null) throw failed('no-answer')
    if (this.#kind === 'whole') return
    const { failure } = this.#probe.readEnd()
    if (failure) throw failed(failure)
  }
}
