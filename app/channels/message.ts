import { trialPlan } from '../../domain/billing/plans.ts'
import { type InboundDelivery, type Outgoing, openCheckMs } from '../../domain/channels/delivery.ts'
import { withContext } from '../../domain/channels/group-context.ts'
import { type FileReference, type Happening, type Inbound, maxMentions } from '../../domain/channels/inbound.ts'
import { lines } from '../../domain/channels/lines.ts'
import type { LinkRecord } from '../../domain/channels/link.ts'
import { platformLimits } from '../../domain/channels/platform.ts'
import { withPointed } from '../../domain/channels/pointed.ts'
import { maxAttachmentBytes, maxAttachments } from '../../domain/chat/attachment-limits.ts'
import { promptIdOf } from '../../domain/chat/names.ts'
import { maxTextCharacters } from '../../domain/chat/text-limits.ts'
import { DomainError } from '../../domain/errors.ts'
import { isAsleep } from '../../domain/instance/instance.ts'
import { iso } from '../../domain/time.ts'
import { keepAttachment } from '../chat/attachments.ts'
import { type ReceivePorts, receiveMessage } from '../chat/receive-message.ts'
import type { Basics } from '../ports/basics.ts'
import type { InboundDeliveries, OutgoingMessages } from '../ports/channels.ts'
import type { AttachmentFiles, Attachments } from '../ports/chat.ts'
import { PlatformError } from '../ports/chat-platform.ts'
import { type ChatPlatforms, platformOf } from './platforms.ts'

export type MessagePorts = ChatPlatforms &
  ReceivePorts & {
    attachments: Attachments
    attachmentFiles: AttachmentFiles
    inboundDeliveries: InboundDeliveries
    outgoingMessages: OutgoingMessages
  } & Basics

/** Number of other people's group messages that go to the agent as context. */
const contextLines = 20

/**
 * Copies the files and stores the message with its prompt and the place of the answer in one write; safe to repeat.
 * @returns the message for the chat; null if the agent is working on it
 */
export async function receiveChatMessage(
  deps: MessagePorts,
  { inbound, messageId }: InboundDelivery,
  link: LinkRecord,
  content: Extract<Happening, { kind: 'message' }>,
  nowMs: number,
): Promise<string | null> {
  const { userId } = link
  if (content.text.length > maxTextCharacters) return lines.tooLong(maxTextCharacters)
  // The write that stores the message also stores the beginning of its reply.
  if (await deps.outgoingMessages.find(userId, promptIdOf(messageId))) return null
  const instance = await deps.instances.find(userId)
  if (!instance || instance.desiredState === 'deleted') return lines.noAgent(deps.settings.publicOrigin)
  if (instance.plan === trialPlan.id) return lines.onTrial(deps.settings.publicOrigin)
  try {
    const waitMs = (link.waitUntilMs ?? 0) - nowMs
    if (content.files.length > 0 && waitMs > 0) throw new PlatformError('rate-limited', 'asked to wait', waitMs)
    const attachments = await copyFiles(deps, userId, inbound, content.files, nowMs)
    if (typeof attachments === 'string') return lines.file(attachments)
    const others = link.kind === 'group' ? await deps.inboundDeliveries.before(inbound, contextLines) : []
    const reply: Outgoing = {
      userId,
      key: promptIdOf(messageId),
      chat: inbound.chat,
      context: inbound.context,
      state: 'open',
      ...(isAsleep(instance) && { draft: lines.waking }),
      revision: 0,
      failures: 0,
      reason: null,
      dueAt: nowMs + openCheckMs,
      createdAt: iso(nowMs),
    }
    const plain = withContext(withPointed(content.text, content.pointed), others, inbound.chat.title)
    const text = await withNames(deps, inbound.chat, plain, [content, ...others.map(({ inbound: { what } }) => what)])
    const { conversation } = link
    const message = { id: messageId, text, conversation, channel: inbound.chat.platform, attachments }
    const { waiting } = await receiveMessage(deps, userId, message, nowMs, deps.outgoingMessages.entry(reply))
    if (waiting) return lines.unpaid(waiting)
    if (waitMs <= 0) await showTyping(deps, inbound)
    return null
  } catch (error) {
    if (error instanceof DomainError) return error.message
    throw error
  }
}

/** Adds the names of mentioned people, where the platform gives only ids. A missing name is not an error. */
async function withNames(
  deps: ChatPlatforms,
  chat: Inbound['chat'],
  text: string,
  said: readonly Happening[],
): Promise<string> {
  const ids = said.flatMap((what) => (what.kind === 'message' ? (what.mentions ?? []) : []))
  const platform = platformOf(deps, chat)
  if (ids.length === 0 || !platform.namesOf) return text
  const names = await platform.namesOf(chat, [...new Set(ids)].slice(0, maxMentions))
  return text.replaceAll(/@([A-Z0-9]{2,31})\b/g, (whole, id: string) => (names.has(id) ? `@${names.get(id)}` : whole))
}

/** Copies files while their platform still has them; returns the name of a file that cannot be copied. */
async function copyFiles(
  deps: MessagePorts,
  userId: string,
  { chat }: Inbound,
  files: readonly FileReference[],
  nowMs: number,
): Promise<string[] | string> {
  const own = files.filter(({ pointed }) => !pointed)
  if (own.length > maxAttachments) return own[maxAttachments]?.name ?? ''
  const most = Math.min(maxAttachmentBytes, platformLimits[chat.platform].fileBytes.received)
  const copied: string[] = []
  for (const file of [...own, ...files.filter(({ pointed }) => pointed)].slice(0, maxAttachments)) {
    if (file.bytes === 0 || (file.bytes ?? 0) > most) {
      if (file.pointed) continue
      return file.name
    }
    try {
      const content = new Uint8Array(await platformOf(deps, chat).fetchFile(chat, file, most))
      copied.push((await keepAttachment(deps, userId, { name: file.name, type: file.type, content }, nowMs)).id)
    } catch (error) {
      if (!(error instanceof PlatformError) || error.reason === 'unavailable' || error.reason === 'rate-limited')
        throw error
      if (!file.pointed) return file.name
    }
  }
  return copied
}

/** Failures are ignored, because the indicator is optional. */
async function showTyping(deps: ChatPlatforms, inbound: Inbound): Promise<void> {
  try {
    await platformOf(deps, inbound.chat).typing(inbound)
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error
  }
}
