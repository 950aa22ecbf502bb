import { type Dialect, isObject, type Reading } from './dialect.ts'
import { estimateTokens, noUsage, type Usage } from './metering.ts'
import { EventCutter, join, type SseEvent } from './sse.ts'

/** What is known of a call's tokens at its end. */
export interface Metered {
  /** The provider's own report; null when it made none. */
  reported: Partial<Usage> | null
  /** True when the report covers the whole call. */
  final: boolean
  /** Output tokens as counted from what came: at least one a piece, about four bytes each. */
  countedOutput: number
}

export interface Taken {
  /** Bytes for the client: whole events, unchanged, without the usage report when the client did not ask for it. */
  forward: Uint8Array
  /** True when the provider reported an error of its own, which goes no further. */
  failed: boolean
}

/** Reads a call's usage off the provider's answer as it passes. */
export class Meter {
  readonly #dialect: Dialect
  readonly #cutter = new EventCutter()
  #reported: Partial<Usage> | null = null
  #final = false
  #pieces = 0
  #bytes = 0

  constructor(dialect: Dialect) {
    this.#dialect = dialect
  }

  /** Takes a chunk of an event stream, wherever it was cut. */
  take(chunk: Uint8Array, hidesUsage: boolean): Taken {
    return this.#sort(this.#cutter.push(chunk), hidesUsage)
  }

  /** Takes the end of the stream: what it left without a blank line. */
  end(hidesUsage: boolean): Taken {
    return this.#sort(this.#cutter.end(), hidesUsage)
  }

  /** Takes a whole JSON answer; false when it is none, or an error of the provider's own. */
  takeJson(text: string): boolean {
    const reading = this.#note(text)
    return reading !== null && !reading.failed
  }

  metered(): Metered {
    return {
      reported: this.#reported,
      final: this.#final,
      countedOutput: Math.max(this.#pieces, estimateTokens(this.#bytes)),
    }
  }

  #sort(events: SseEvent[], hidesUsage: boolean): Taken {
    const forward: Uint8Array[] = []
    for (const { bytes, data } of events) {
      const reading = data === null ? null : this.#note(data)
      if (reading?.failed) return { forward: join(forward), failed: true }
      if (!(hidesUsage && reading?.onlyUsage)) forward.push(bytes)
    }
    return { forward: join(forward), failed: false }
  }

  #note(data: string): Reading | null {
    const json = parse(data)
    if (json === null) return null
    const reading = this.#dialect.read(json)
    if (reading.usage) {
      this.#reported = { ...this.#reported, ...reading.usage }
      this.#final = this.#final || reading.final
    }
    if (reading.outputBytes > 0) {
      this.#pieces++
      this.#bytes += reading.outputBytes
    }
    return reading
  }
}

function parse(data: string): Record<string, unknown> | null {
  if (!data.startsWith('{')) return null
  try {
    const json: unknown = JSON.parse(data)
    return isObject(json) ? json : null
  } catch {
    return null
  }
}

export const fillUsage = (reported: Partial<Usage>): Usage => ({ ...noUsage, ...reported })
