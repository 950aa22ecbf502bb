import { type Event, resumesAfter } from '../../domain/chat/event.ts'
import { streamLifeMs } from '../../domain/lifetimes.ts'
import { addPiece, type GrowingText, missingFrom, noText } from '../../domain/socket/growing-text.ts'
import { progressEvent, readerMessage, type TextPiece } from '../../domain/socket/message.ts'
import { iso } from '../../domain/time.ts'
import type { Basics, Ports } from '../ports.ts'
import type { Credentials, OpenSocket } from '../socket/ports.ts'

type Deps = Pick<Ports, 'socketClient'> & Pick<Basics, 'clock' | 'ids'>

/**
 * A user's events that are for this reader, as they are pushed, from after `lastEventId` (from a moment ago without it),
 * each once; a reply's growing text comes as `message.progress`, each of which begins where the one before ended. null
 * marks 15 seconds of silence, so that whoever writes the stream keeps the connection alive.
 */
export async function* followEvents(
  deps: Deps,
  credentials: Credentials,
  lastEventId: string | null,
  isFor: (event: Event) => boolean,
  signal?: AbortSignal,
): AsyncGenerator<Event | null> {
  const endsAt = deps.clock.now() + streamLifeMs
  const heard = new Set<string>()
  const texts = new Map<string, GrowingText>()
  /** Prompts whose reply is there: text that comes later was overtaken by it. */
  const answered = new Set<string>()
  /** Up to where all has been heard: a push may be lost, what `resume` sends is not. */
  let upTo: string | null = null
  while (deps.clock.now() < endsAt && !signal?.aborted) {
    // Also how a stream ends whose caller may have it no longer.
    const socket = await deps.socketClient.connect(credentials, signal)
    if (!socket) return
    socket.send({ action: 'resume', after: upTo === null ? lastEventId : resumesAfter(upTo) })
    /** What is pushed before all that happened earlier has been sent. */
    let early: Event[] | null = []
    for await (const received of socket) {
      if (received === null) yield null
      const message = readerMessage.safeParse(received).data
      if (message?.type === 'text' && !answered.has(message.promptId))
        yield* growth(deps, socket, texts, message, isFor)
      let told: readonly Event[] = []
      if (message?.type === 'events' && early) early.push(...message.events)
      else if (message?.type === 'events') told = message.events
      if (message?.type === 'resumed') {
        told = (early ?? []).toSorted((a, b) => a.id.localeCompare(b.id))
        early = null
        upTo = message.upTo
        forget(heard, upTo)
      }
      for (const event of told) {
        if (heard.has(event.id)) continue
        heard.add(event.id)
        if (typeof event.data.promptId === 'string') {
          answered.add(event.data.promptId)
          texts.delete(event.data.promptId)
        }
        if (isFor(event)) yield event
      }
      if (deps.clock.now() >= endsAt) socket.close()
    }
  }
}

/** What a piece adds to a reply, as an event; what is missing before it is asked for. */
function* growth(
  { clock, ids }: Deps,
  socket: OpenSocket,
  texts: Map<string, GrowingText>,
  piece: TextPiece,
  isFor: (event: Event) => boolean,
): Generator<Event> {
  const { promptId, draft } = piece
  const { held, grown } = addPiece(texts.get(promptId) ?? noText, piece)
  texts.set(promptId, held)
  const from = missingFrom(held)
  if (from !== null) socket.send({ action: 'missing', promptId, draft, from })
  if (grown === '') return
  const told = { promptId, draft, from: held.text.length - grown.length, text: grown }
  const event = progressEvent(ids.next('evt'), iso(clock.now()), told)
  if (isFor(event)) yield event
}

function forget(heard: Set<string>, upTo: string): void {
  const oldest = resumesAfter(upTo)
  for (const id of heard) if (id < oldest) heard.delete(id)
}
