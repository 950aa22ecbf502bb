import { createHash } from 'node:crypto'

const MiB = 1024 * 1024

/** Bytes. A boundary is where `bits` bits of the rolling hash are zero: 21 make 2 MiB on average, above `min`. */
export const usualCut = { min: MiB, max: 8 * MiB, bits: 21 }

/** A fixed random number for each byte. */
const gear = Uint32Array.from({ length: 256 }, (_, byte) =>
  createHash('sha256').update(`berth chunk ${byte}`).digest().readUInt32LE(0),
)

/**
 * Cuts by content: unchanged bytes are cut as before, wherever they moved. A boundary depends on the last 32 bytes. The
 * source may reuse its buffers; chunks are copies.
 */
export async function* chunksOf(source: AsyncIterable<Buffer>, { min, max, bits } = usualCut): AsyncGenerator<Buffer> {
  const mask = ~0 << (32 - bits)
  const held = Buffer.allocUnsafe(max)
  let length = 0
  let hash = 0
  for await (const bytes of source) {
    for (let from = 0; from < bytes.length; ) {
      // Bytes far below the minimum length cannot decide anything.
      const skip = Math.min(Math.max(min - 64 - length, 0), bytes.length - from)
      const end = Math.min(bytes.length, from + max - length)
      let at = from + skip
      if (skip > 0) hash = 0
      let cut = false
      for (; at < end && !cut; at++) {
        hash = ((hash << 1) + (gear[bytes[at] ?? 0] ?? 0)) | 0
        cut = (hash & mask) === 0 && length + at + 1 - from >= min
      }
      bytes.copy(held, length, from, at)
      length += at - from
      from = at
      if (!cut && length < max) continue
      yield Buffer.from(held.subarray(0, length))
      length = 0
      hash = 0
    }
  }
  if (length > 0) yield Buffer.from(held.subarray(0, length))
}
