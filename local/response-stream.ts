/** Lambda's response streaming, as bundles see it: `awslambda.streamifyResponse` and `HttpResponseStream`. */

import type { TransformCallback } from 'node:stream'
import { PassThrough } from 'node:stream'

/** The metadata that API Gateway reads before the body. */
export interface HttpHead {
  statusCode?: number
  headers?: Record<string, string | number | boolean>
  multiValueHeaders?: Record<string, (string | number | boolean)[]>
  cookies?: string[]
}

/**
 * The stream into which a streaming function writes. The head counts as sent with the first write, an empty one
 * included.
 */
export class ResponseStream extends PassThrough {
  head: HttpHead | undefined
  #begin: () => void = () => {}
  /** Resolves at the first write or the end, whichever comes first. */
  readonly begun = new Promise<void>((resolve) => {
    this.#begin = resolve
  })

  constructor() {
    super()
    // A broken stream is reported to its reader, and must not end the service if there is none.
    this.on('error', () => {})
  }

  override _transform(chunk: unknown, encoding: BufferEncoding, done: TransformCallback): void {
    this.#begin()
    super._transform(chunk, encoding, done)
  }

  override _flush(done: TransformCallback): void {
    this.#begin()
    done()
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#begin()
    super._destroy(error, done)
  }

  setContentType(type: string): void {
    this.head = { ...this.head, headers: { ...this.head?.headers, 'content-type': type } }
  }
}

export const HttpResponseStream = {
  from: (stream: ResponseStream, head: HttpHead): ResponseStream => {
    stream.head = head
    return stream
  },
}

const STREAMING = Symbol.for('aws.lambda.runtime.handler.streaming')

export type StreamingHandler = (event: unknown, stream: ResponseStream, context: unknown) => unknown

/** Marks a handler the way the runtime does. */
export function asStreaming(handler: StreamingHandler): StreamingHandler {
  return Object.assign(handler, { [STREAMING]: 'response' })
}

export function isStreaming(handler: unknown): handler is StreamingHandler {
  return typeof handler === 'function' && STREAMING in handler
}
