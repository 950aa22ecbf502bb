import type { ApiFormat, ResponsePart } from './api-format.ts'
import { estimateTokens, type Usage } from './cost.ts'
import { isObject } from './json.ts'
import { concatBytes, type SseEvent, SseSplitter } from './sse.ts'

/** What is known of a call's tokens at its end. */
export interface MeteredUsage {
  /** The provider's own report; null when it made none. */
  reported: Partial<Usage> | null
  /** True when the report covers the whole call. */
  final: boolean
  /** Output tokens as counted from what came: at least one a part, about four bytes each. */
  countedOutput: number
  /** Searches of the web that were seen being made. */
  countedSearches: number
}

interface MeteredBytes {
  /** Bytes for the client: whole events, unchanged, without the usage report when the client did not ask for it. */
  forward: Uint8Array
  /** True when the provider reported an error of its own, which goes no further. */
  failed: boolean
}

/** Reads a call's usage off the provider's answer as it passes. */
export class UsageMeter {
  readonly #format: ApiFormat
  readonly #hidesUsage: boolean
  readonly #splitter = new SseSplitter()
  #reported: Partial<Usage> | null = null
  #final = false
  #parts = 0
  #bytes = 0
  #searches = 0

  constructor(format: ApiFormat, hidesUsage: boolean) {
    this.#format = format
    this.#hidesUsage = hidesUsage
  }

  /** Reads a chunk of an event stream, wherever it was cut. */
  readChunk(chunk: Uint8Array): MeteredBytes {
    return this.#readEvents(this.#splitter.push(chunk))
  }

  /** Reads what the stream's end left without a blank line. */
  readEnd(): MeteredBytes {
    return this.#readEvents(this.#splitter.end())
  }

  /** Reads a whole JSON answer; false when it is none, or an error of the provider's own. */
  readJson(text: string): boolean {
    const part = this.#readPart(text)
    return part !== null && !part.failed
  }

  get usage(): MeteredUsage {
    const countedOutput = Math.max(this.#parts, estimateTokens(this.#bytes))
    return { reported: this.#reported, final: this.#final, countedOutput, countedSearches: this.#searches }
  }

  #readEvents(events: SseEvent[]): MeteredBytes {
    const forward: Uint8Array[] = []
    for (const { bytes, data } of events) {
      const part = data === null ? null : this.#readPart(data)
      if (part?.failed) return { forward: concatBytes(forward), failed: true }
      if (!(this.#hidesUsage && part?.onlyUsage)) forward.push(bytes)
    }
    return { forward: concatBytes(forward), failed: false }
  }

  #readPart(data: string): ResponsePart | null {
    const json = parseObject(data)
    if (json === null) return null
    const part = this.#format.parseResponse(json)
    if (part.usage) {
      this.#reported = { ...this.#reported, ...part.usage }
      this.#final = this.#final || part.final
    }
    this.#searches += part.searches
    if (part.outputBytes > 0) {
      this.#parts++
      this.#bytes += part.outputBytes
    }
    return part
  }
}

function parseObject(data: string): Record<string, unknown> | null {
  if (!data.startsWith('{')) return null
  try {
    const json: unknown = JSON.parse(data)
    return isObject(json) ? json : null
  } catch {
    return null
  }
}
