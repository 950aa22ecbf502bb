import { ulid } from '../ids.ts'
import type { Basics } from '../ports.ts'
import { minuteMs, secondMs } from '../time.ts'
import type { Event } from './event.ts'
import type { Events } from './ports.ts'

/** A stream ends by itself before the platform's 15 minutes; clients come back with the last id they saw. */
export const streamLifeMs = 14 * minuteMs
const pollMs = 500
const silenceMs = 15 * secondMs

/** Ids are made by many functions, so one may come into sight a little after a younger one: this far back is read again. */
const overlapMs = 3 * secondMs

/** The id below every event of this instant or later. */
const eventIdAt = (ms: number) => `evt_${ulid(ms, new Uint8Array(16))}`

/**
 * A user's events as they happen, from after `lastEventId` (from a moment ago without it), each once; null marks 15 seconds of
 * silence, so that whoever writes the stream keeps the connection alive. Nothing is read once it is `over`.
 */
export async function* follow(
  deps: { events: Events } & Pick<Basics, 'clock'>,
  userId: string,
  lastEventId: string | null,
  over?: AbortSignal,
): AsyncGenerator<Event | null> {
  const until = deps.clock.now() + streamLifeMs
  const told = new Set<string>()
  let from = lastEventId ?? eventIdAt(deps.clock.now() - overlapMs)
  let spokeAt = deps.clock.now()
  while (deps.clock.now() < until && !over?.aborted) {
    for (const one of await deps.events.after(userId, from, 100)) {
      if (deps.clock.now() - Date.parse(one.at) > overlapMs) from = one.id
      if (told.has(one.id)) continue
      told.add(one.id)
      spokeAt = deps.clock.now()
      yield one
    }
    for (const id of told) if (id < from) told.delete(id)
    if (deps.clock.now() - spokeAt >= silenceMs) {
      spokeAt = deps.clock.now()
      yield null
    }
    await deps.clock.sleep(pollMs)
  }
}
