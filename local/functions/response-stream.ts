/** Lambda's response streaming: `awslambda.streamifyResponse` and `HttpResponseStream`. */

import { PassThrough, type TransformCallback } from 'node:stream'

/** The metadata before the body. */
export interface HttpHead {
  statusCode?: number
  headers?: Record<string, string | number | boolean>
  multiValueHeaders?: Record<string, (string | number | boolean)[]>
  cookies?: string[]
}

/** The stream that a streaming function writes to. The first write sends the head, even if it is empty. */
export class ResponseStream extends PassThrough {
  head: HttpHead | undefined
  #begin: () => void = () => {}
  /** Resolves at the first write or at the end. */
  readonly begun = new Promise<void>((resolve) => {
    this.#begin = resolve
  })

  constructor() {
    super()
    // Reported to the reader; without a reader, an error must not end the service.
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

const streamingMark = Symbol.for('aws.lambda.runtime.handler.streaming')

type StreamingHandler = (event: unknown, stream: ResponseStream, context: unknown) => unknown

export const asStreaming = (handler: StreamingHandler): StreamingHandler =>
  Object.assign(handler, { [streamingMark]: 'response' })

export const isStreaming = (handler: unknown): handler is StreamingHandler =>
  typeof handler === 'function' && streamingMark in handler
