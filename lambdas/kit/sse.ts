import { recheckMs } from '../../domain/lifetimes.ts'
import type { StreamedResponse } from './operation.ts'
import { type StreamLease, untilRevoked } from './stream-lease.ts'

/** One server-sent event; null is a comment that keeps the connection alive. */
export interface SseEvent {
  id?: string
  event?: string
  data: unknown
}

const encode = (event: SseEvent | null): string =>
  event === null
    ? ': still here\n'
    : `${event.id ? `id: ${event.id}\n` : ''}${event.event ? `event: ${event.event}\n` : ''}data: ${JSON.stringify(event.data)}\n\n`

/** Ends when its reader leaves, or its lease cannot be renewed. */
export function sse(
  source: AsyncIterable<SseEvent | null>,
  lease: StreamLease,
  everyMs: number = recheckMs,
): StreamedResponse {
  const bytes = new TextEncoder()
  const events = untilRevoked(source, lease, { everyMs })
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(bytes.encode(encode(null))),
    pull: async (controller) => {
      const { value, done } = await events.next()
      if (done) controller.close()
      else controller.enqueue(bytes.encode(encode(value)))
    },
    cancel: async () => void (await events.return?.()),
  })
  return { status: 200, headers: { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' }, body }
}
