import type { Event } from '../../domain/chat/event.ts'
import { ulid } from '../../domain/ids.ts'
import { streamLifeMs } from '../../domain/lifetimes.ts'
import { secondMs } from '../../domain/time.ts'
import type { Basics } from '../ports.ts'
import type { Events } from './ports.ts'

const pollMs = 500
const silenceMs = 15 * secondMs

/** Ids are made by many functions, so an event may be seen a little after a younger event: this far back is read again. */
const overlapMs = 3 * secondMs

/** The id below every event of this instant or later. */
const eventIdAt = (ms: number) => `evt_${ulid(ms, new Uint8Array(16))}`

/**
 * A user's events that are for this reader, as they happen, from after `lastEventId` (from a moment ago without it), each
 * once; null marks 15 seconds of silence, so that whoever writes the stream keeps the connection alive. Nothing is read once it is aborted.
 */
export async function* followEvents(
  deps: { events: Events } & Pick<Basics, 'clock'>,
  userId: string,
  lastEventId: string | null,
  isFor: (event: Event) => boolean,
  signal?: AbortSignal,
): AsyncGenerator<Event | null> {
  const endsAt = deps.clock.now() + streamLifeMs
  const sent = new Set<string>()
  let from = lastEventId ?? eventIdAt(deps.clock.now() - overlapMs)
  let lastYieldAt = deps.clock.now()
  while (deps.clock.now() < endsAt && !signal?.aborted) {
    for (const event of await deps.events.after(userId, from, 100)) {
      if (deps.clock.now() - Date.parse(event.at) > overlapMs) from = event.id
      if (sent.has(event.id)) continue
      sent.add(event.id)
      if (!isFor(event)) continue
      lastYieldAt = deps.clock.now()
      yield event
    }
    for (const id of sent) if (id < from) sent.delete(id)
    if (deps.clock.now() - lastYieldAt >= silenceMs) {
      lastYieldAt = deps.clock.now()
      yield null
    }
    await deps.clock.sleep(pollMs)
  }
}
