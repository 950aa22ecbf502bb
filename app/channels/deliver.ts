import { type Outgoing, ownTimeMs, type SentSoFar } from '../../domain/channels/delivery.ts'
import { platformLimits } from '../../domain/channels/platform.ts'
import { beginningOf, splitText } from '../../domain/channels/split.ts'
import type { Ports } from '../ports.ts'
import { type ChatPlatform, type Destination, PlatformError } from './platform-port.ts'
import { type ChatPlatforms, platformOf } from './platforms.ts'
import { nextTryMs } from './retry.ts'

export type DeliverPorts = ChatPlatforms &
  Pick<Ports, 'outgoingMessages' | 'channelLinks' | 'attachments' | 'attachmentFiles'>

/**
 * Shows in its chat how a reply grows, no faster than its platform likes. What fails is left to the next time: its last words are sent
 * whatever became of this.
 */
export async function growReply(deps: DeliverPorts, userId: string, key: string, nowMs: number): Promise<void> {
  const message = await deps.outgoingMessages.find(userId, key)
  if (message?.state !== 'open' || message.draft === undefined) return
  const sent = await deps.outgoingMessages.sent(userId, key)
  const { chat } = message
  const { paceMs, textCharacters } = platformLimits[chat.platform]
  const text = splitText(message.draft, textCharacters)[0] ?? ''
  if (text.trim() === '' || text === sent.shown || sent.shownMs + paceMs[chat.kind] > nowMs) return
  try {
    const messageId = await show(platformOf(deps, chat), message, text, sent)
    const messageIds = messageId === null ? sent.messageIds : [messageId]
    await deps.outgoingMessages.recordSent(message, { ...sent, messageIds, shown: text, shownMs: nowMs })
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error
    // Whoever is told to wait is not asked again before.
    const waitMs = error.retryAfterMs ?? 0
    if (waitMs > 0) await deps.outgoingMessages.recordSent(message, { ...sent, shownMs: nowMs + waitMs })
  }
}

async function show(platform: ChatPlatform, message: Outgoing, text: string, sent: SentSoFar): Promise<string | null> {
  const messageId = sent.messageIds[0] ?? null
  if (platform.grow)
    return (await platform.grow(message, text, { key: partKey(message, 0), messageId, text: sent.shown })).messageId
  if (messageId === null) return (await platform.send(message, { text }, partKey(message, 0))).messageId
  await platform.edit(message, messageId, { text })
  return messageId
}

/** The same part under the same key, where a platform knows such keys. */
const partKey = ({ key }: Outgoing, part: number): string => `${key}.${part}`

/**
 * Sends the last words of a message, in as many as its platform needs. Each is first sent as its beginning, and once its id is known
 * it is edited to what it says, which may be done again and again: a crash between the two leaves a beginning at most.
 */
export async function deliver(deps: DeliverPorts, userId: string, key: string, nowMs: number): Promise<void> {
  const found = await deps.outgoingMessages.find(userId, key)
  if (found?.dueAt === undefined || found.dueAt > nowMs) return
  const message = await deps.outgoingMessages.claim(found, nowMs + ownTimeMs)
  if (!message?.final) return
  try {
    await sendAll(deps, message)
    await deps.outgoingMessages.settle(message, {
      state: 'sent',
      failures: message.failures,
      reason: null,
      dueAt: null,
    })
  } catch (error) {
    const nextMs = nextTryMs(error, message.failures, nowMs)
    const failure = { failures: message.failures + 1, reason: reasonOf(error), dueAt: nextMs }
    await deps.outgoingMessages.settle(message, { ...failure, state: nextMs === null ? 'failed' : 'sending' })
    if (error instanceof PlatformError && error.reason === 'gone') await loseLink(deps, message)
    if (!(error instanceof PlatformError)) throw error
  }
}

const reasonOf = (error: unknown): string =>
  error instanceof PlatformError ? error.message : 'an error of the service'

async function loseLink({ channelLinks }: DeliverPorts, { userId, chat }: Outgoing): Promise<void> {
  const link = await channelLinks.find(chat)
  if (link?.userId === userId) await channelLinks.change(userId, link.id, { state: 'lost' })
}

async function sendAll(deps: DeliverPorts, message: Outgoing): Promise<void> {
  const { chat, final, userId } = message
  const platform = platformOf(deps, chat)
  const parts = splitText(final?.text ?? '', platformLimits[chat.platform].textCharacters)
  let sent = await deps.outgoingMessages.sent(userId, message.key)
  const note = async (next: Partial<SentSoFar>) => {
    sent = { ...sent, ...next }
    await deps.outgoingMessages.recordSent(message, sent)
  }
  for (const [i, text] of parts.entries()) {
    if (sent.finished > i) continue
    let messageId = sent.messageIds[i]
    if (messageId === undefined) {
      messageId = (await platform.send(message, { text: beginningOf(text) }, partKey(message, i))).messageId
      await note({ messageIds: [...sent.messageIds.slice(0, i), messageId] })
    }
    const buttons = i === parts.length - 1 ? (final?.buttons ?? []) : []
    await platform.edit(message, messageId, { text, ...(buttons.length > 0 && { buttons }) })
    await note({ finished: i + 1 })
  }
  const files = final?.attachments ?? []
  for (const [i, id] of files.entries()) {
    if (sent.files > i) continue
    await sendFile(deps, platform, message, id, partKey(message, parts.length + i))
    await note({ files: i + 1 })
  }
}

async function sendFile(
  { attachments, attachmentFiles }: DeliverPorts,
  platform: ChatPlatform,
  to: Outgoing & Destination,
  id: string,
  key: string,
): Promise<void> {
  const file = await attachments.find(to.userId, id, 0)
  if (!file) return
  if (file.bytes > platformLimits[to.chat.platform].fileBytes.sent)
    throw new PlatformError('refused', `“${file.name}” is larger than this platform takes`)
  const content = await attachmentFiles.read(file)
  await platform.sendFile(to, { name: file.name, type: file.type, content }, key)
}
