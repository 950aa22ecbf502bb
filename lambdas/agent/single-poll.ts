import type { Clock } from '../../app/ports/basics.ts'
import type { Conversations } from '../../app/ports/chat.ts'
import type { Instances } from '../../app/ports/instance.ts'
import type { Leases } from '../../app/ports/rates.ts'
import type { MachineActor } from '../../domain/actor.ts'
import { pollMs } from '../../domain/agent/observation.ts'
import { rateLimited, unauthorized } from '../../domain/errors.ts'
import { liveGeneration } from '../../domain/instance/instance.ts'
import { recheckMs } from '../../domain/lifetimes.ts'
import { secondMs } from '../../domain/time.ts'

/** A poll that was not released holds its slot for this long after its wait, ms. */
const graceMs = 3 * secondMs

/**
 * One waiting poll per generation, for prompts and for tasks each; a poll that does not wait needs no slot.
 * @throws rate-limited while another waits
 */
export async function singlePoll<T>(
  deps: { leases: Leases; clock: Clock },
  { instanceId, generation }: MachineActor,
  { what, waitSeconds }: { what: 'prompts' | 'tasks'; waitSeconds: number },
  poll: () => Promise<T>,
): Promise<T> {
  if (waitSeconds === 0) return poll()
  const subject = `poll#${instanceId}#${generation}#${what}`
  const slots = { max: 1, ttlMs: waitSeconds * secondMs + graceMs }
  const slot = await deps.leases.acquire(subject, slots, deps.clock.now())
  if (!slot.acquired) throw rateLimited(slot.retryAfterSeconds)
  try {
    return await poll()
  } finally {
    await deps.leases.release(subject, slot.id).catch(() => {}) // The slot lapses by itself.
  }
}

/** A machine that was replaced meanwhile gets nothing. @throws unauthorized within 15 s of its generation's end */
export async function pollOnce<T>(
  { clock, instances, conversations }: { instances: Instances; conversations: Conversations; clock: Clock },
  { userId, generation }: MachineActor,
  { fromMs, untilMs }: { fromMs: number; untilMs: number },
  poll: (nowMs: number) => Promise<{ there: boolean; work: T }>,
): Promise<T> {
  for (let checkedMs = fromMs; ; ) {
    const nowMs = clock.now()
    const { there, work } = await poll(nowMs)
    if (nowMs - checkedMs >= (there ? pollMs : recheckMs)) {
      const instance = await instances.find(userId)
      if (!instance || liveGeneration(instance) !== generation) {
        await conversations.release(userId, generation)
        throw unauthorized('This machine token is no longer valid.')
      }
      checkedMs = nowMs
    }
    if (there || nowMs + pollMs > untilMs) return work
    await clock.sleep(pollMs)
  }
}
