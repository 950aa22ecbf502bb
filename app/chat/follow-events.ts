import type { Event } from '../../domain/chat/event.ts'
import { streamLifeMs } from '../../domain/lifetimes.ts'
import { progressEvent, readerMessage } from '../../domain/socket/message.ts'
import { ReaderState } from '../../domain/socket/reader-state.ts'
import { iso, secondMs } from '../../domain/time.ts'
import type { Clock, Ids } from '../ports/basics.ts'
import type { Credentials, SocketClient } from '../ports/socket.ts'

/** After this long without an answer, a resume counts as lost and is repeated over another connection. */
const answerMs = 20 * secondMs

type Deps = { socketClient: SocketClient; clock: Clock; ids: Ids }

/**
 * A user's events for this reader, each once, from after `lastEventId` (without it, from a moment ago). A reply's
 * growing text arrives as `message.progress`, each of which continues the one before. null marks 15 seconds of silence,
 * so that the stream's writer can keep the connection alive.
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
    // Null also ends the stream of a caller who has lost access.
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
