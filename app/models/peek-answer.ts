import { type AnswerShape, shapeOf } from '../../domain/models/answer-shape.ts'
import { concatBytes } from '../../domain/models/sse.ts'
import type { OnChunk, UpstreamResponse } from './ports.ts'

type Readable = Pick<UpstreamResponse, 'read'>

/** A provider's answer whose shape is known before it is read. */
export interface PeekedAnswer extends Readable {
  /** Null when the answer ended before it said anything. */
  shape: Promise<AnswerShape | null>
}

/** Looks at the first bytes of an answer and keeps them for its reader, who may begin before the shape is known. */
export function peekAnswer({ read }: Readable): PeekedAnswer {
  const kept: Uint8Array[] = []
  const shape = Promise.withResolvers<AnswerShape | null>()
  const reader = Promise.withResolvers<OnChunk>()
  let onChunk: OnChunk | null = null
  let waits = false
  const done = read((chunk) => {
    if (onChunk) return onChunk(chunk)
    kept.push(chunk)
    const found = shapeOf(concatBytes(kept))
    if (found === null) return undefined
    shape.resolve(found)
    waits = true
    return reader.promise.then((take) => take(concatBytes(kept)))
  })
  done.then(
    () => shape.resolve(null),
    () => shape.resolve(null),
  )
  return {
    shape: shape.promise,
    read: async (take) => {
      onChunk = take
      reader.resolve(take)
      if (!waits && kept.length > 0) await take(concatBytes(kept))
      return done
    },
  }
}
