/** An event grows no longer than this before its bytes are let through unread, so a stream without events cannot fill memory. */
const maxEventBytes = 4 * 1024 * 1024

const decoder = new TextDecoder()

/** One whole server-sent event: its bytes as they came, blank line included, and its data when it has any. */
export interface SseEvent {
  bytes: Uint8Array
  data: string | null
}

/**
 * Cuts a byte stream into whole events, however its chunks fall. No client can use half an event, so nothing is
 * delayed by it. Line ends may be LF, CRLF or CR; all bytes put in come out in order.
 */
export class EventCutter {
  #parts: Uint8Array[] = []
  #size = 0
  #lineEmpty = true
  #afterCr = false
  /** The stream ends its lines with CRLF. */
  #crlf = false
  /** An event is whole but for the LF of its last CRLF. */
  #wantsLf = false

  push(chunk: Uint8Array): SseEvent[] {
    const events: SseEvent[] = []
    let start = 0
    for (let i = 0; i < chunk.length; i++) {
      if (!this.#endsEvent(chunk[i] ?? 0)) continue
      events.push(this.#cut(chunk.subarray(start, i + 1)))
      start = i + 1
    }
    if (start < chunk.length) this.#keep(chunk.subarray(start))
    if (this.#size > maxEventBytes) events.push({ bytes: this.#join(), data: null })
    return events
  }

  /** An event that the stream's end left without its blank line. */
  end(): SseEvent[] {
    const bytes = this.#join()
    return bytes.length === 0 ? [] : [{ bytes, data: dataOf(bytes) }]
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

  #cut(last: Uint8Array): SseEvent {
    this.#keep(last)
    const bytes = this.#join()
    return { bytes, data: dataOf(bytes) }
  }

  #join(): Uint8Array {
    const whole = join(this.#parts, this.#size)
    this.#parts = []
    this.#size = 0
    return whole
  }
}

/** Puts pieces together; a single one is handed on as it is. */
export function join(parts: Uint8Array[], size = parts.reduce((sum, part) => sum + part.length, 0)): Uint8Array {
  const [first] = parts
  if (first && parts.length === 1) return first
  const whole = new Uint8Array(size)
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

function dataOf(bytes: Uint8Array): string | null {
  const lines: string[] = []
  for (const line of decoder.decode(bytes).split(/\r\n|\n|\r/)) {
    if (line.startsWith('data:')) lines.push(line.slice(line[5] === ' ' ? 6 : 5))
  }
  return lines.length === 0 ? null : lines.join('\n')
}
