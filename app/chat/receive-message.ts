import type { Channel, Message } from '../../domain/chat/message.ts'
import { conflict } from '../../domain/errors.ts'
import type { InstanceRecord } from '../../domain/instance/instance.ts'
import { iso } from '../../domain/time.ts'
import { changeInstance } from '../instance/change.ts'
import { wake, wakes } from '../instance/wake.ts'
import { commit } from '../outbox/commit.ts'
import type { Basics, Ports } from '../ports.ts'

type ReceivePorts = Pick<Ports, 'instances' | 'conversations' | 'events' | 'bus' | 'outbox'> &
  Pick<Basics, 'ids' | 'clock'>

/**
 * Takes a user's message: keeps it with its prompt first, so that nothing is lost, then wakes the instance.
 * @throws conflict when the user has no instance that could answer
 */
export async function receiveMessage(
  deps: ReceivePorts,
  userId: string,
  said: { text: string; channel: Channel },
  nowMs: number,
): Promise<Message> {
  const instance = await deps.instances.find(userId)
  if (!instance || instance.desiredState === 'deleted') {
    throw conflict('There is no agent to answer yet. Subscribe to a plan first.')
  }
  const message: Message = { id: deps.ids.next('msg'), role: 'user', at: iso(nowMs), ...said }
  await receivePrompt(deps, instance, message, 'chat')
  return message
}

/** Keeps what the agent is asked; an instance that sleeps and that this may wake is woken. The same message twice is one. */
export async function receivePrompt(
  deps: ReceivePorts,
  known: InstanceRecord,
  message: Message,
  trigger: 'chat' | 'schedule',
): Promise<void> {
  const { userId } = known
  const { id: messageId, channel, text, at } = message
  const reason = trigger === 'chat' ? 'message' : 'schedule'
  const followUps = wakes(known, reason) ? [wake(deps, userId, reason)] : []
  await commit(deps, userId, { followUps }, () =>
    deps.conversations.receive(userId, message, {
      id: deps.ids.next('prm'),
      kind: 'message',
      messageId,
      conversation: channel,
      channel,
      trigger,
      text,
      at,
    }),
  )
  // Seen after the prompt was kept: an instance that fell asleep meanwhile is woken, or finds the prompt by itself.
  const [seen] = await Promise.all([
    deps.instances.touch(userId, at),
    deps.events.record(userId, 'message.received', { message }),
  ])
  if (seen && wakes(seen, reason)) await changeInstance(deps, userId, 'wake', reason, deps.clock.now())
}
