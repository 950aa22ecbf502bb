import type { MachineActor } from '../../domain/actor.ts'
import { pollMs } from '../../domain/agent/observation.ts'
import { rateLimited, unauthorized } from '../../domain/errors.ts'
import { liveGeneration } from '../../domain/instance/instance.ts'
import type { Basics, Ports } from '../../domain/ports.ts'
import { secondMs } from '../../domain/time.ts'
import { recheckMs } from '../kit/sse.ts'

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

/**
 * Looks until something is there or the time is up. Nothing is handed to a machine that was replaced while it waited.
 * @throws unauthorized within 15 s of its generation's end
 */
export async function look<T>(
  { clock, instances, conversations }: Pick<Ports, 'instances' | 'conversations'> & Pick<Basics, 'clock'>,
  { userId, generation }: MachineActor,
  { fromMs, untilMs }: { fromMs: number; untilMs: number },
  ask: (nowMs: number) => Promise<{ there: boolean; seen: T }>,
): Promise<T> {
  for (let welcomeMs = fromMs; ; ) {
    const nowMs = clock.now()
    const { there, seen } = await ask(nowMs)
    if (nowMs - welcomeMs >= (there ? pollMs : recheckMs)) {
      const instance = await instances.find(userId)
      if (!instance || liveGeneration(instance) !== generation) {
        await conversations.release(userId, generation)
        throw unauthorized('This machine token is no longer valid.')
      }
      welcomeMs = nowMs
    }
    if (there || nowMs + pollMs > untilMs) return seen
    await clock.sleep(pollMs)
  }
}
