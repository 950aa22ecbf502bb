import type { Basics, Events } from '../ports.ts'
import { minuteMs, secondMs } from '../time.ts'
import type { Event } from './event.ts'

/** A stream ends by itself before the platform's 15 minutes; clients come back with the last id they saw. */
export const streamLifeMs = 14 * minuteMs
const pollMs = 500
const silenceMs = 15 * secondMs

/**
 * A user's events as they happen, from after `lastEventId` (from now without it); null marks 15 seconds of silence,
 * so that whoever writes the stream keeps the connection alive.
 */
export async function* follow(
  deps: { events: Events } & Pick<Basics, 'clock'>,
  userId: string,
  lastEventId: string | null,
): AsyncGenerator<Event | null> {
  const until = deps.clock.now() + streamLifeMs
  let last = lastEventId
  let spokeAt = deps.clock.now()
  while (deps.clock.now() < until) {
    for (const one of await deps.events.after(userId, last, 100)) {
      last = one.id
      spokeAt = deps.clock.now()
      yield one
    }
    if (deps.clock.now() - spokeAt >= silenceMs) {
      spokeAt = deps.clock.now()
      yield null
    }
    await deps.clock.sleep(pollMs)
  }
}
