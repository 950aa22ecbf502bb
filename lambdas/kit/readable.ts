import { PassThrough, type Readable } from 'node:stream'
import type { HttpResponse } from './request.ts'

export interface ReadableBody {
  body: string | ReadableStream<Uint8Array> | Readable
  /** Resolves when nothing is left to do for the response, maybe after its last byte or after its client has left. */
  done: Promise<void>
}

/** A body as a stream; if its writer throws, the stream fails with that error. */
export function readable(body: HttpResponse['body']): ReadableBody {
  if (typeof body !== 'function') return { body, done: Promise.resolve() }
  const stream = new PassThrough()
  return { body: stream, done: body(stream).catch((error) => void stream.destroy(error)) }
}
