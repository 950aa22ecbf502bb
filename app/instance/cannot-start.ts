import type { CannotStartReason } from '../../domain/instance/cannot-start.ts'
import type { Events } from '../ports/chat.ts'
import type { Instances } from '../ports/instance.ts'

/** Null: the agent can start. */
export async function noteCannotStart(
  { instances, events }: { instances: Instances; events: Events },
  { userId, generation }: { userId: string; generation: number },
  reason: CannotStartReason | null,
): Promise<void> {
  const record = await instances.find(userId)
  if (record?.generation !== generation) return
  const before = record.cannotStart?.generation === generation ? record.cannotStart.reason : null
  if (reason === before) return
  const event = events.entry(userId, 'instance.changed', { cannotStart: reason })
  await instances.setCannotStart(userId, generation, reason, event)
}
