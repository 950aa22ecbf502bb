import { isArriving, siblingsOf, withSiblings } from '../../domain/channels/album.ts'
import { commandOf, commandsAs, isAboutMoney } from '../../domain/channels/commands.ts'
import {
  type InboundDelivery,
  inboundRetryDelaysMs,
  lineKey,
  type Outgoing,
  ready,
} from '../../domain/channels/delivery.ts'
import { type Chat, type Happening, type Inbound, saysNothing } from '../../domain/channels/inbound.ts'
import { lines } from '../../domain/channels/lines.ts'
import { type LinkRecord, linkIdOf, readCode } from '../../domain/channels/link.ts'
import { promptIdOf } from '../../domain/chat/names.ts'
import { dateOf, hourMs } from '../../domain/time.ts'
import type { InboundDeliveries } from '../ports/channels.ts'
import type { Events, Questions } from '../ports/chat.ts'
import { PlatformError } from '../ports/chat-platform.ts'
import { answerButton } from './answer-button.ts'
import { type CommandPorts, runCommand } from './commands.ts'
import { type LinkPorts, linkChat, linkedText, tellLinked } from './link.ts'
import { type MessagePorts, receiveChatMessage } from './message.ts'
import { moveLink } from './move.ts'
import { platformOf } from './platforms.ts'
import { nextTryMs } from './retry.ts'

export type ProcessPorts = LinkPorts &
  MessagePorts &
  CommandPorts & { inboundDeliveries: InboundDeliveries; questions: Questions; events: Events }

type Of<K extends Happening['kind']> = Extract<Happening, { kind: K }>

interface Outcome {
  state: 'done' | 'ignored'
  reason?: string
  /** The message for the chat; each `key` is sent once. */
  line?: { text: string; key?: string }
}

const ignored = (reason: string, line?: Outcome['line']): Outcome => ({
  state: 'ignored',
  reason,
  ...(line && { line }),
})
const answered = (text: string | null): Outcome => ({ state: 'done', ...(text !== null && { line: { text } }) })

/** The user id under which messages to chats without a link are stored. */
const nobody = (chat: Chat): string => `nobody#${chat.platform}`

/**
 * Processes a chat's open events in order; safe to repeat. @param from the id of an event that is surely open @throws
 * an event's error other than a `PlatformError`, after it was recorded
 */
export async function processChat(
  deps: ProcessPorts,
  chat: Pick<Chat, 'platform' | 'id'>,
  from: string,
  nowMs: number,
): Promise<void> {
  const open = await deps.inboundDeliveries.open(chat, from)
  const settled = new Set<InboundDelivery>()
  for (const delivery of open) {
    if (settled.has(delivery)) continue
    // An event that will be retried keeps its place.
    if (delivery.failures > 0 && (delivery.dueAt ?? 0) > nowMs) return
    if (isArriving(delivery, open, deps.clock.now()) && (await waitsElsewhere(deps, delivery, from))) return
    try {
      const siblings = siblingsOf(delivery, open).filter((each) => !settled.has(each))
      // A sibling that arrives later than this is a separate message.
      const takenMs = siblings.length > 0 ? Math.max(nowMs, deps.clock.now()) : nowMs
      for (const each of await processOne(deps, delivery, siblings, takenMs)) settled.add(each)
    } catch (error) {
      const nextMs = nextTryMs(error, inboundRetryDelaysMs, delivery.failures, deps.clock.now())
      const link = await deps.channelLinks.find(chat)
      await deps.inboundDeliveries.fail(delivery, reasonOf(error), nextMs, link?.userId ?? null)
      if (error instanceof PlatformError && error.retryAfterMs !== null)
        await deps.channelLinks.wait(chat, deps.clock.now() + error.retryAfterMs)
      if (!(error instanceof PlatformError)) throw error
      return
    }
  }
}

/**
 * Defers an album that is still arriving to its own run, which its first message requests, so that other chats do not
 * wait for it. False for a chat without a link, whose albums reach no agent.
 */
async function waitsElsewhere(
  { channelLinks, bus }: ProcessPorts,
  { inbound: { chat, id } }: InboundDelivery,
  from: string,
): Promise<boolean> {
  const link = await channelLinks.find(chat)
  if (!link) return false
  const { platform, id: chatId } = chat
  if (from <= id)
    await bus.publish('album.arriving', link.userId, { album: { chat: { platform, id: chatId }, from: id } })
  return true
}

/** Shown in the list of deliveries; details of unexpected errors are only in the log. */
const reasonOf = (error: unknown): string =>
  error instanceof Error && (error.name === 'DomainError' || error.name === 'PlatformError')
    ? error.message
    : 'an error of the service'

/** The rest of the album is settled first: after a crash in between, the prompt already exists. @returns all settled */
async function processOne(
  deps: ProcessPorts,
  first: InboundDelivery,
  siblings: readonly InboundDelivery[],
  nowMs: number,
): Promise<InboundDelivery[]> {
  const delivery = withSiblings(first, siblings)
  const { inbound, messageId } = delivery
  const found = await deps.channelLinks.find(inbound.chat)
  const { link, outcome } = await decide(deps, delivery, found, nowMs)
  const userId = link?.userId ?? null
  const { line, ...to } = outcome
  const key = lineKey(line?.key ?? messageId)
  const text = line && commandsAs(inbound.chat.platform, line.text)
  const answer: Outgoing | null =
    text === undefined ? null : ready({ userId: userId ?? nobody(inbound.chat), ...inbound }, key, { text }, nowMs)
  const members = userId === null ? siblings : await membersOf(deps, userId, messageId, siblings)
  for (const each of members)
    await deps.inboundDeliveries.settle(each, { state: 'ignored', reason: 'part of an album', userId })
  await deps.inboundDeliveries.settle(delivery, { ...to, userId }, answer)
  return [first, ...members]
}

/** The siblings that belong to the stored prompt; another run may have stored it before the last sibling arrived. */
async function membersOf(
  { outgoingMessages }: ProcessPorts,
  userId: string,
  messageId: string,
  siblings: readonly InboundDelivery[],
): Promise<readonly InboundDelivery[]> {
  if (siblings.length === 0) return siblings
  const reply = await outgoingMessages.find(userId, promptIdOf(messageId))
  return reply ? siblings.filter(({ createdAt }) => createdAt <= reply.createdAt) : siblings
}

interface Decided {
  link: LinkRecord | null
  outcome: Outcome
}

async function decide(
  deps: ProcessPorts,
  delivery: InboundDelivery,
  link: LinkRecord | null,
  nowMs: number,
): Promise<Decided> {
  const { inbound } = delivery
  const shown = inbound.chat.kind === 'group' && codeSeenIn(inbound.what)
  if (shown) await deps.channelLinks.endCode(shown)
  if (inbound.what.kind === 'removed') return removed(deps, inbound, inbound.what, link)
  if (link === null || link.state === 'lost') return fromStranger(deps, delivery, link, nowMs)
  if (link.id === linkIdOf(delivery.messageId)) return { link, outcome: answered((await tellLinked(deps, link)).text) }
  if (inbound.person.id !== link.personId) return { link, outcome: fromOther(inbound, nowMs) }
  return { link, outcome: await fromOwner(deps, delivery, link, nowMs) }
}

async function removed(
  deps: ProcessPorts,
  { chat, at }: Inbound,
  { moved }: Of<'removed'>,
  link: LinkRecord | null,
): Promise<Decided> {
  const gone = moved ? { ...chat, id: moved.from } : chat
  const now = moved ? await moveLink(deps, gone, moved.to) : null
  if (now) {
    // The dashboard may show the link as lost.
    if (link?.state === 'lost') await deps.events.record(now.userId, 'channel.changed', { linkId: now.id })
    return { link: now, outcome: ignored('the chat goes on under another id') }
  }
  const here = moved ? await deps.channelLinks.find(gone) : link
  // If the group has moved on, the end of its former chat has no effect.
  if (here?.chat.id === gone.id) await changeLink(deps, here, 'lost')
  await platformOf(deps, chat).forget?.(gone, at)
  return { link: here, outcome: ignored('the chat, or our place in it, is no more') }
}

async function changeLink(
  deps: ProcessPorts,
  { userId, id }: LinkRecord,
  state: LinkRecord['state'],
): Promise<LinkRecord | null> {
  const changed = await deps.channelLinks.change(userId, id, { state })
  if (changed) await deps.events.record(userId, 'channel.changed', { linkId: id })
  return changed
}

const codeSeenIn = (what: Happening): string | null => {
  if (what.kind === 'command') return readCode(what.argument)
  if (what.kind !== 'message') return null
  return (
    [what.text, ...(what.pointed ?? []).map(({ text }) => text)].map(readCode).find((code) => code !== null) ?? null
  )
}

function linking({ chat, what }: Inbound): string | null {
  if (what.kind === 'command') return commandOf(what.name) === 'link' ? what.argument : null
  return chat.kind === 'direct' && what.kind === 'message' ? readCode(what.text) : null
}

/** The invitation to link the chat is sent once a day. */
async function fromStranger(
  deps: ProcessPorts,
  delivery: InboundDelivery,
  lost: LinkRecord | null,
  nowMs: number,
): Promise<Decided> {
  const { inbound } = delivery
  const argument = linking(inbound)
  if (argument === null) {
    // The person who had linked the chat has returned.
    if (lost && inbound.person.id === lost.personId) {
      const link = await changeLink(deps, lost, 'linked')
      const text = await linkedText(deps, lost)
      return { link, outcome: ignored('the chat was lost; it is linked again, send it anew', { text }) }
    }
    const key = `stranger#${inbound.chat.id}#${dateOf(nowMs)}`
    const toldToo = inbound.chat.kind === 'direct' || inbound.what.kind === 'command'
    // On a platform that shows a pending answer, each request needs one.
    const once = inbound.context.deferred === undefined ? { key } : {}
    const line = { ...once, text: lines.stranger(deps.settings.publicOrigin) }
    return { link: null, outcome: ignored('the chat is not linked', toldToo ? line : undefined) }
  }
  const { link, text } = await linkChat(deps, delivery, argument, nowMs)
  return { link, outcome: answered(text) }
}

/** Other people's messages in a group are only context. A flood is reported to the group at most once an hour. */
function fromOther({ chat, what }: Inbound, nowMs: number): Outcome {
  if (what.kind !== 'flood') return ignored('somebody else of the group')
  const key = `flood#${chat.id}#${Math.floor(nowMs / hourMs)}`
  return ignored('more than is taken at once', { key, text: lines.groupFlood })
}

async function fromOwner(
  deps: ProcessPorts,
  delivery: InboundDelivery,
  link: LinkRecord,
  nowMs: number,
): Promise<Outcome> {
  const { inbound } = delivery
  const { what } = inbound
  switch (what.kind) {
    case 'command':
      return command(deps, link, what, nowMs)
    case 'button':
      return answered(await answerButton(deps, link, inbound, what, nowMs))
    case 'flood':
      return ignored('more than is taken at once', { key: inbound.id, text: lines.flood })
    case 'edited':
      return ignored('an edit', { key: `edited#${inbound.chat.id}#${dateOf(nowMs)}`, text: lines.edited })
    case 'message':
      return message(deps, delivery, link, what, nowMs)
    default:
      return ignored('nothing is asked')
  }
}

async function command(deps: ProcessPorts, link: LinkRecord, what: Of<'command'>, nowMs: number): Promise<Outcome> {
  const name = commandOf(what.name)
  if (!name) return answered(lines.unknownCommand)
  if (isAboutMoney(name) && link.kind !== 'direct') return answered(lines.directOnly)
  return answered(await runCommand(deps, link, name, what.argument, nowMs))
}

async function message(
  deps: ProcessPorts,
  delivery: InboundDelivery,
  link: LinkRecord,
  what: Of<'message'>,
  nowMs: number,
): Promise<Outcome> {
  if (!what.addressed) return ignored('not meant for the agent')
  if (saysNothing(what)) return ignored('nothing is said')
  if (Date.parse(delivery.inbound.at) + tooOldMs < Date.parse(delivery.createdAt)) return ignored('it came a day late')
  return answered(await receiveChatMessage(deps, delivery, link, what, nowMs))
}

/** Messages that arrive later than this are dropped, ms. */
const tooOldMs = 24 * hourMs
