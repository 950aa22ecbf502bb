import { PassThrough, type Readable } from 'node:stream'
import type { HttpResponse } from './request.ts'

export interface ReadableBody {
  body: string | ReadableStream<Uint8Array> | Readable
  /** Ends when nothing is left to do for the response, which may be after its last byte or its client has gone. */
  done: Promise<void>
}

/** A body for those who read it: a writer's is the stream that it writes into, which breaks with whatever the writer throws. */
export function readable(body: HttpResponse['body']): ReadableBody {
  if (typeof body !== 'function') return { body, done: Promise.resolve() }
  const stream = new PassThrough()
  return { body: stream, done: body(stream).catch((error) => void stream.destroy(error)) }
}
