import { createHash } from 'node:crypto'

const MiB = 1024 * 1024

export interface Sizes {
  min: number
  max: number
  /** A boundary is where so many bits of the rolling hash are zero: 21 make 2 MiB on average, above `min`. */
  bits: number
}

const usual: Sizes = { min: MiB, max: 8 * MiB, bits: 21 }

/** A fixed random number for each byte. */
const gear = Uint32Array.from({ length: 256 }, (_, byte) =>
  createHash('sha256').update(`berth chunk ${byte}`).digest().readUInt32LE(0),
)

/**
 * Cuts a stream where its content says so, so that what did not change is cut as before, wherever it has moved to. A
 * boundary depends on the last 32 bytes.
 */
export class Chunker {
  readonly #sizes: Sizes
  readonly #mask: number
  #held: Buffer
  #length = 0
  #hash = 0

  constructor(sizes: Sizes = usual) {
    this.#sizes = sizes
    this.#mask = ~0 << (32 - sizes.bits)
    this.#held = Buffer.allocUnsafe(sizes.max)
  }

  /** Takes bytes; gives each piece that is full. A piece is the caller's own. */
  *push(bytes: Buffer): Generator<Buffer> {
    const { min, max } = this.#sizes
    let from = 0
    while (from < bytes.length) {
      // What lies well before the least length cannot decide anything.
      const skip = Math.min(Math.max(min - 64 - this.#length, 0), bytes.length - from)
      const end = Math.min(bytes.length, from + max - this.#length)
      let at = from + skip
      let hash = skip > 0 ? 0 : this.#hash
      let cut = false
      for (; at < end && !cut; at++) {
        hash = ((hash << 1) + (gear[bytes[at] ?? 0] ?? 0)) | 0
        cut = (hash & this.#mask) === 0 && this.#length + at + 1 - from >= min
      }
      this.#hash = hash
      bytes.copy(this.#held, this.#length, from, at)
      this.#length += at - from
      from = at
      if (cut || this.#length === max) yield this.#take()
    }
  }

  /** What is left at the end. */
  *end(): Generator<Buffer> {
    if (this.#length > 0) yield this.#take()
  }

  #take(): Buffer {
    const piece = Buffer.from(this.#held.subarray(0, this.#length))
    this.#length = 0
    this.#hash = 0
    return piece
  }
}
