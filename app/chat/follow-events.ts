import type { Event } from '../../domain/chat/event.ts'
import { streamLifeMs } from '../../domain/lifetimes.ts'
import { progressEvent, readerMessage } from '../../domain/socket/message.ts'
import { ReaderState } from '../../domain/socket/reader-state.ts'
import { iso, secondMs } from '../../domain/time.ts'
import type { Basics, Ports } from '../ports.ts'
import type { Credentials } from '../socket/ports.ts'

/** A resume without an answer for this long was lost, and is repeated over another connection. */
const answerMs = 20 * secondMs

type Deps = Pick<Ports, 'socketClient'> & Pick<Basics, 'clock' | 'ids'>

/**
 * A user's events that are for this reader, as they are pushed, from after `lastEventId` (from a moment ago without
 * it), each once; a reply's growing text comes as `message.progress`, each of which begins where the one before ended.
 * null marks 15 seconds of silence, so that whoever writes the stream keeps the connection alive.
 */
export async function* followEvents(
  { clock, ids, socketClient }: Deps,
  credentials: Credentials,
  lastEventId: string | null,
  isFor: (event: Event) => boolean,
  signal?: AbortSignal,
): AsyncGenerator<Event | null> {
  const endsAt = clock.now() + streamLifeMs
  const reader = new ReaderState(lastEventId)
  while (clock.now() < endsAt && !signal?.aborted) {
    // Also how a stream ends whose caller may have it no longer.
    const socket = await socketClient.connect(credentials, signal)
    if (!socket) return
    const connectedMs = clock.now()
    reader.connected()
    socket.send({ action: 'resume', after: reader.upTo })
    for await (const received of socket) {
      if (received === null) yield null
      const message = readerMessage.safeParse(received).data
      if (message) {
        const { events, grown } = reader.receive(message)
        if (message.type === 'text')
          for (const missing of reader.missing) socket.send({ action: 'missing', ...missing })
        const progress = grown && progressEvent(ids.next('evt'), iso(clock.now()), grown)
        yield* (progress ? [progress] : events).filter(isFor)
      }
      const unanswered = reader.isResuming && clock.now() - connectedMs >= answerMs
      if (unanswered || clock.now() >= endsAt) socket.close()
    }
  }
}
