import { type PromptAttachment, showAttachment } from '../../domain/chat/attachment.ts'
import type { Message, ReceivedMessage } from '../../domain/chat/message.ts'
import { messageLimits } from '../../domain/chat/message-limits.ts'
import type { DomainError } from '../../domain/errors.ts'
import { checkIntervalMs } from '../../domain/instance/idle.ts'
import type { InstanceRecord } from '../../domain/instance/instance.ts'
import { refusalToSpend } from '../../domain/instance/status.ts'
import { iso } from '../../domain/time.ts'
import { type ChangePorts, changeInstance } from '../instance/change.ts'
import { wake, wakeFor, wakes } from '../instance/wake.ts'
import { type FollowUp, type OutboxPorts, outboxOf } from '../outbox/outbox.ts'
import type { Clock } from '../ports/basics.ts'
import type { AttachmentFiles, Attachments, Conversations } from '../ports/chat.ts'
import type { Part } from '../ports/part.ts'
import type { Wallets } from '../ports/wallet.ts'
import { attached, requireAgent, requireStored } from './attachments.ts'

export type ReceivePorts = OutboxPorts & WakePorts

/**
 * Stores the message with its prompt, then wakes the instance. If the wallet cannot pay, `waiting` says so, and the
 * next credit wakes the instance. The same `id` is stored once.
 * @param content `attachments` are ids of its uploads, or of files of the message that it `replaces`
 * @throws conflict without an instance, with too many waiting messages, or a missing upload; not-found for an unknown
 * attachment or conversation
 */
export async function receiveMessage(
  deps: ReceivePorts & { attachments: Attachments; attachmentFiles: AttachmentFiles },
  userId: string,
  content: Pick<Message, 'text' | 'conversation' | 'channel'> & {
    id?: string
    attachments?: readonly string[] | undefined
    replaces?: Message | undefined
    trace?: string | undefined
  },
  nowMs: number,
  ...also: Part[]
): Promise<ReceivedMessage> {
  const { attachments = [], id = deps.ids.next('msg'), replaces, trace, ...words } = content
  const kept = replaces?.attachments?.map((file) => file.id)
  const [instance, money, files] = await Promise.all([
    deps.instances.find(userId),
    deps.wallets.read(userId),
    requireStored(deps, { userId, role: 'user' }, attachments, nowMs, kept),
  ])
  const agent = requireAgent(instance)
  const version = replaces && { replaces: replaces.replaces ?? replaces.id }
  const message: Message = { id, role: 'user', at: iso(nowMs), ...words, ...attached(files), ...version }
  const handed = files.map((file) => ({ ...showAttachment(file), sha256: file.sha256 }))
  const refusal = await receivePrompt(deps, agent, message, 'chat', refusalToSpend(money), {
    files: handed,
    trace,
    also,
  })
  return { message, waiting: refusal && { error: refusal.code, message: refusal.message } }
}

/**
 * Stores the prompt once, and wakes a sleeping instance if the prompt may wake it and `refusal` is null. Returns the
 * refusal if it still applies.
 */
export async function receivePrompt(
  deps: ReceivePorts,
  known: InstanceRecord,
  message: Message,
  trigger: 'chat' | 'schedule',
  refusal: DomainError | null,
  {
    files = [],
    followUps = [],
    trace,
    also = [],
  }: {
    files?: readonly PromptAttachment[]
    followUps?: readonly FollowUp[]
    trace?: string | undefined
    also?: readonly Part[]
  } = {},
): Promise<DomainError | null> {
  const { userId, plan } = known
  const { at } = message
  const reason = trigger === 'chat' ? 'message' : 'schedule'
  const woken = !refusal && wakes(known, reason) ? [wake(deps, userId, reason)] : []
  const outbox = outboxOf(deps, userId, [...followUps, ...woken])
  const limits = messageLimits(plan)
  if (await deps.conversations.receive(userId, message, trigger, files, trace, limits, outbox, ...also))
    await outbox.flush()
  // Read after the prompt was stored: an instance that fell asleep meanwhile is woken, or finds the prompt by itself.
  const [instance] = await Promise.all([
    // If the machine missed the notice, this check repeats it.
    deps.instances.touch(userId, at, trigger === 'chat' ? 'person' : 'nobody', deps.clock.now() + checkIntervalMs),
    deps.events.record(userId, 'message.received', { message }),
  ])
  const waiting = refusal && refusalToSpend(await deps.wallets.read(userId))
  if (!waiting && instance && wakes(instance, reason))
    await changeInstance(deps, userId, 'wake', reason, deps.clock.now())
  return waiting
}

type WakePorts = ChangePorts & { conversations: Conversations; wallets: Wallets; clock: Clock }

export async function wakeForKept(deps: WakePorts, userId: string): Promise<void> {
  const [instance, money] = await Promise.all([deps.instances.find(userId), deps.wallets.read(userId)])
  if (!instance || !wakes(instance, 'message') || refusalToSpend(money)) return
  if (await deps.conversations.openSince(userId, 0)) await wakeFor(deps, userId, 'message')
}
