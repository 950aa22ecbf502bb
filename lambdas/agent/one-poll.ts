import type { MachineActor } from '../../domain/actor.ts'
import { rateLimited } from '../../domain/errors.ts'
import type { Basics, Ports } from '../../domain/ports.ts'
import { secondMs } from '../../domain/time.ts'

/** How long after its wait a poll still holds its place, ms: nobody gave it back. */
const graceMs = 3 * secondMs

/**
 * Lets a generation wait in one poll at a time, for its prompts and for its tasks each; a poll that does not wait needs
 * no place. @throws rate-limited while another waits
 */
export async function onePoll<T>(
  deps: Pick<Ports, 'leases'> & Pick<Basics, 'clock'>,
  { instanceId, generation }: MachineActor,
  { what, waitSeconds }: { what: 'prompts' | 'tasks'; waitSeconds: number },
  poll: () => Promise<T>,
): Promise<T> {
  if (waitSeconds === 0) return poll()
  const subject = `poll#${instanceId}#${generation}#${what}`
  const places = { most: 1, lifeMs: waitSeconds * secondMs + graceMs }
  const place = await deps.leases.take(subject, places, deps.clock.now())
  if (!place.taken) throw rateLimited(place.retryAfterSeconds)
  try {
    return await poll()
  } finally {
    await deps.leases.give(subject, place.id).catch(() => {}) // It lapses by itself.
  }
}
