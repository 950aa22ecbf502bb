import type { Channel, Message } from '../../domain/chat/message.ts'
import { conflict } from '../../domain/errors.ts'
import { type InstanceRecord, isAsleep } from '../../domain/instance/instance.ts'
import { iso } from '../../domain/time.ts'
import { changeInstance } from '../instance/change.ts'
import type { Basics, Ports } from '../ports.ts'

type ReceivePorts = Pick<Ports, 'instances' | 'conversations' | 'events' | 'bus'> & Pick<Basics, 'ids'>

/** A message wakes what idleness or its user paused, and nothing that was paused for billing. */
export const wakes = (instance: Pick<InstanceRecord, 'state' | 'desiredState' | 'reason'>): boolean =>
  isAsleep(instance) && instance.reason !== 'billing'

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
  const at = iso(nowMs)
  const message: Message = { id: deps.ids.next('msg'), role: 'user', at, ...said }
  await deps.conversations.receive(userId, message, {
    id: deps.ids.next('prm'),
    kind: 'message',
    messageId: message.id,
    conversation: said.channel,
    channel: said.channel,
    trigger: 'chat',
    text: said.text,
    at,
  })
  // Seen after the prompt was kept: an instance that fell asleep meanwhile is woken, or finds the prompt by itself.
  const [seen] = await Promise.all([
    deps.instances.touch(userId, at),
    deps.events.record(userId, 'message.received', { message }),
  ])
  if (wakes(seen ?? instance)) await changeInstance(deps, userId, 'wake', 'message', nowMs)
  return message
}
