import type { Streamed } from './operation.ts'

/** One server-sent event; null is a comment that keeps the connection alive. */
export interface SseEvent {
  id?: string
  event?: string
  data: unknown
}

const encode = (one: SseEvent | null): string =>
  one === null
    ? ': still here\n\n'
    : `${one.id ? `id: ${one.id}\n` : ''}${one.event ? `event: ${one.event}\n` : ''}data: ${JSON.stringify(one.data)}\n\n`

/** Server-sent events out of a generator; a reader that leaves ends it. */
export function sse(source: AsyncGenerator<SseEvent | null>): Streamed {
  const bytes = new TextEncoder()
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(bytes.encode(encode(null))),
    pull: async (controller) => {
      const { value, done } = await source.next()
      if (done) controller.close()
      else controller.enqueue(bytes.encode(encode(value)))
    },
    cancel: async () => {
      await source.return(undefined)
    },
  })
  return { status: 200, headers: { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' }, body }
}
