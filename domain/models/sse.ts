import { maxEventBytes } from './call-limits.ts'
import { utf8Length } from './json.ts'

const decoder = new TextDecoder()

/** The bytes are unchanged, and include the blank line. */
export interface SseEvent {
  bytes: Uint8Array
  /** Null without an `event` field. */
  name: string | null
  /** Without the white space around it; null when the event has none. */
  data: string | null
  /** Bytes of lines that no reader of events knows, and all bytes of an event that is too large to read. */
  strayBytes: number
  /** Part of an event that is too large to read. */
  isPart: boolean
}

/** Published parsers do not return an event's bytes, which clients get unchanged. Lines may end in LF, CRLF or CR. */
export class SseSplitter {
  #parts: Uint8Array[] = []
  #size = 0
  #lineEmpty = true
  #afterCr = false
  #crlf = false
  /** An event is whole but for the LF of its last CRLF. */
  #wantsLf = false
  #isWithinEvent = false

  /** True after a part of an event whose end is still to come. */
  get isWithinEvent(): boolean {
    return this.#isWithinEvent
  }

  push(chunk: Uint8Array): SseEvent[] {
    const events: SseEvent[] = []
    let start = 0
    for (let i = 0; i < chunk.length; i++) {
      if (!this.#endsEvent(chunk[i] ?? 0)) continue
      this.#keep(chunk.subarray(start, i + 1))
      events.push(...this.end())
      start = i + 1
    }
    if (start < chunk.length) this.#keep(chunk.subarray(start))
    if (this.#size > maxEventBytes) events.push(this.#letThrough())
    return events
  }

  /** At the stream's end the last event may lack its blank line. */
  end(): SseEvent[] {
    const bytes = this.#flush()
    const isPart = this.#isWithinEvent
    this.#isWithinEvent = false
    return bytes.length === 0 ? [] : [{ bytes, isPart, ...readLines(bytes) }]
  }

  #letThrough(): SseEvent {
    const bytes = this.#flush()
    this.#isWithinEvent = true
    return { bytes, name: null, data: null, strayBytes: bytes.length, isPart: true }
  }

  /** True when this byte is the last of a blank line. */
  #endsEvent(byte: number): boolean {
    const followsCr = this.#afterCr
    this.#afterCr = byte === 13
    if (byte === 10 && followsCr) {
      this.#crlf = true
      const ends = this.#wantsLf
      this.#wantsLf = false
      return ends
    }
    this.#wantsLf = false
    if (byte !== 10 && byte !== 13) {
      this.#lineEmpty = false
      return false
    }
    const blank = this.#lineEmpty
    this.#lineEmpty = true
    if (blank && byte === 13 && this.#crlf) {
      this.#wantsLf = true
      return false
    }
    return blank
  }

  #keep(part: Uint8Array): void {
    this.#parts.push(part)
    this.#size += part.length
  }

  #flush(): Uint8Array {
    const bytes = concatBytes(this.#parts)
    this.#parts = []
    this.#size = 0
    return bytes
  }
}

export const concatBytes = (parts: readonly Uint8Array[]): Uint8Array =>
  parts.length === 1 && parts[0] ? parts[0] : joined(parts)

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

/** A comment, or a field that carries no data. */
const silentLine = /^(?::|id:|retry:|\s*$)/

function readLines(bytes: Uint8Array): Pick<SseEvent, 'name' | 'data' | 'strayBytes'> {
  const data: string[] = []
  let name: string | null = null
  let strayBytes = 0
  for (const line of decoder.decode(bytes).split(/\r\n|\n|\r/)) {
    if (line.startsWith('data:')) data.push(line.slice(5).trimStart())
    else if (line.startsWith('event:')) name = line.slice(6).trim()
    else if (!silentLine.test(line)) strayBytes += utf8Length(line)
  }
  return { name, data: data.length === 0 ? null : data.join('\n').trim(), strayBytes }
}
