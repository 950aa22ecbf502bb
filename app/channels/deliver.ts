import {
  heldMs,
  isLineKey,
  type Outgoing,
  retryDelaysMs,
  type SentSoFar,
  sentIn,
} from '../../domain/channels/delivery.ts'
import type { Chat } from '../../domain/channels/inbound.ts'
import { platformLimits } from '../../domain/channels/platform.ts'
import { beginningOf, splitText } from '../../domain/channels/split.ts'
import type { Clock } from '../ports/basics.ts'
import type { ChannelLinks, OutgoingMessages } from '../ports/channels.ts'
import type { AttachmentFiles, Attachments } from '../ports/chat.ts'
import { ChatMovedError, type ChatPlatform, type Destination, PlatformError } from '../ports/chat-platform.ts'
import { moveLink } from './move.ts'
import { type ChatPlatforms, platformOf } from './platforms.ts'
import { nextTryMs } from './retry.ts'

export type DeliverPorts = ChatPlatforms & {
  outgoingMessages: OutgoingMessages
  channelLinks: ChannelLinks
  attachments: Attachments
  attachmentFiles: AttachmentFiles
  clock: Clock
}

/** Follows the platform's pace. A failure waits for the next attempt: the final text is sent in any case. */
export async function growReply(deps: DeliverPorts, userId: string, key: string, nowMs: number): Promise<void> {
  const stored = await deps.outgoingMessages.find(userId, key)
  if (stored?.state !== 'open' || stored.draft === undefined) return
  const before = await deps.outgoingMessages.sent(userId, key)
  const text = splitText(stored.draft, platformLimits[stored.chat.platform].textCharacters)[0] ?? ''
  if (text.trim() === '' || text === before.shown || !mayShow(stored, before, nowMs)) return
  const { isTheirs, waitUntilMs: chatWaitsMs, message } = await chatOf(deps, stored)
  if (!isTheirs || chatWaitsMs > nowMs) return
  const held = await deps.outgoingMessages.hold(message, nowMs, nowMs + heldMs)
  if (!held) return
  const there = sentThere(stored, held, message.chat)
  let sent: SentSoFar = { ...there, heldUntilMs: 0 }
  const note = (next: Partial<SentSoFar>) => {
    sent = { ...sent, ...next }
    return deps.outgoingMessages.recordSent(message, held, sent)
  }
  // Another run has shown it between the two reads.
  if (held.shownMs !== before.shownMs) return note({})
  try {
    const messageId = await show(platformOf(deps, message.chat), message, text, there)
    await note({ ...(messageId !== null && { messageIds: [messageId] }), shown: text, shownMs: nowMs })
  } catch (error) {
    // After a rate limit, the platform is not called again before its time.
    const untilMs = waitUntilMs(error, deps.clock.now())
    await note({ shownMs: nowMs, waitUntilMs: untilMs })
    if (untilMs > 0) await deps.channelLinks.wait(message.chat, untilMs)
    if (error instanceof ChatMovedError) await moveLink(deps, message.chat, error.to)
    if (!(error instanceof PlatformError)) throw error
  }
}

const mayShow = ({ chat }: Outgoing, { shownMs, waitUntilMs }: SentSoFar, nowMs: number): boolean =>
  shownMs + platformLimits[chat.platform].paceMs[chat.kind] <= nowMs && waitUntilMs <= nowMs

const waitUntilMs = (error: unknown, nowMs: number): number =>
  error instanceof PlatformError && error.retryAfterMs !== null ? nowMs + error.retryAfterMs : 0

/**
 * `isTheirs`: an agent's messages go only to its own user's chats, also if one was unlinked meanwhile. `waitUntilMs`:
 * the end of the platform's rate limit. `message`: with the chat's current id.
 */
async function chatOf({ channelLinks }: DeliverPorts, message: Outgoing) {
  const { userId, key, chat } = message
  const link = await channelLinks.find(chat)
  return {
    isTheirs: isLineKey(key) || link?.userId === userId,
    waitUntilMs: link?.waitUntilMs ?? 0,
    // The context holds ids of the former chat.
    message: link && link.chat.id !== chat.id ? { ...message, chat: link.chat, context: {} } : message,
  }
}

/** After a move, all parts are sent again, because the former chat's message ids are invalid. */
const sentThere = (message: Outgoing, sent: SentSoFar, { id }: Chat): SentSoFar =>
  sentIn(message, sent) === id ? sent : { ...sent, chatId: id, messageIds: [], finished: 0, shown: '' }

async function show(platform: ChatPlatform, message: Outgoing, text: string, sent: SentSoFar): Promise<string | null> {
  const messageId = sent.messageIds[0] ?? null
  if (platform.grow)
    return (await platform.grow(message, text, { key: partKey(message, 0), messageId, text: sent.shown })).messageId
  if (messageId === null) return (await platform.send(message, { text }, partKey(message, 0))).messageId
  await platform.edit(message, messageId, { text })
  return messageId
}

/** Platforms that know idempotency keys send each part once. */
const partKey = ({ key }: Outgoing, part: number): string => `${key}.${part}`

/**
 * Sends each part first as its beginning, then edits it to its full text, which is safe to repeat: a crash in between
 * leaves at most a beginning.
 */
export async function deliver(deps: DeliverPorts, userId: string, key: string, nowMs: number): Promise<void> {
  const message = await deps.outgoingMessages.find(userId, key)
  if (message?.state !== 'sending' || message.dueAt === undefined || message.dueAt > nowMs) return
  const held = await deps.outgoingMessages.hold(message, nowMs, nowMs + heldMs)
  if (!held) return
  if (!(await sendHeld(deps, message, held, nowMs))) await deliver(deps, userId, key, nowMs)
}

/** @returns false when the text was replaced meanwhile */
async function sendHeld(deps: DeliverPorts, stored: Outgoing, held: SentSoFar, nowMs: number): Promise<boolean> {
  const { outgoingMessages } = deps
  const { failures } = stored
  let message = stored
  let sent = held
  const note = async (next: Partial<SentSoFar>) => {
    sent = { ...sent, ...next }
    await outgoingMessages.recordSent(message, held, sent)
  }
  try {
    const chat = await chatOf(deps, stored)
    message = chat.message
    sent = sentThere(stored, held, message.chat)
    if (!chat.isTheirs) throw new PlatformError('refused', 'the chat is no longer linked')
    const waitMs = Math.max(held.waitUntilMs, chat.waitUntilMs) - nowMs
    if (waitMs > 0) throw new PlatformError('rate-limited', 'asked to wait', waitMs)
    await sendAll(deps, message, sent, note)
    await note({ heldUntilMs: 0 })
    return await outgoingMessages.settle(message, { state: 'sent', failures, reason: null, dueAt: null })
  } catch (error) {
    // The platform's answer may have taken a while.
    const failedMs = deps.clock.now()
    const goesOn = error instanceof ChatMovedError && (await moveLink(deps, message.chat, error.to)) !== null
    const nextMs = goesOn ? nowMs : nextTryMs(error, retryDelaysMs, failures, failedMs)
    const failure = { failures: failures + 1, reason: reasonOf(error), dueAt: nextMs }
    const settled = await outgoingMessages.settle(message, {
      ...failure,
      state: nextMs === null ? 'failed' : 'sending',
    })
    const untilMs = Math.max(held.waitUntilMs, waitUntilMs(error, failedMs))
    await note({ heldUntilMs: 0, waitUntilMs: untilMs })
    if (untilMs > failedMs) await deps.channelLinks.wait(message.chat, untilMs)
    if (goesOn) return false
    if (error instanceof PlatformError && error.reason === 'gone') await loseLink(deps, message)
    if (!(error instanceof PlatformError)) throw error
    return settled
  }
}

const reasonOf = (error: unknown): string =>
  error instanceof PlatformError ? error.message : 'an error of the service'

async function loseLink({ channelLinks }: DeliverPorts, { userId, chat }: Outgoing): Promise<void> {
  const link = await channelLinks.find(chat)
  // A chat that has moved to another id meanwhile is not lost.
  if (link?.userId === userId && link.chat.id === chat.id) await channelLinks.change(userId, link.id, { state: 'lost' })
}

async function sendAll(
  deps: DeliverPorts,
  message: Outgoing,
  held: SentSoFar,
  note: (next: Partial<SentSoFar>) => Promise<void>,
): Promise<void> {
  const { chat, final, revision } = message
  const platform = platformOf(deps, chat)
  const parts = splitText(final?.text ?? '', platformLimits[chat.platform].textCharacters)
  const messageIds = [...held.messageIds]
  const finished = held.revision === revision ? held.finished : 0
  for (const [i, text] of parts.entries()) {
    if (finished > i) continue
    let messageId = messageIds[i]
    if (messageId === undefined) {
      messageId = (await platform.send(message, { text: beginningOf(text) }, partKey(message, i))).messageId
      messageIds[i] = messageId
      await note({ messageIds: [...messageIds] })
    }
    const buttons = i === parts.length - 1 ? (final?.buttons ?? []) : []
    await platform.edit(message, messageId, { text, ...(buttons.length > 0 && { buttons }) })
    await note({ finished: i + 1, revision })
  }
  const files = final?.attachments ?? []
  for (const [i, id] of files.entries()) {
    if (held.files > i) continue
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
