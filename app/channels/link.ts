import { maskedEmail } from '../../domain/account/user.ts'
import type { InboundDelivery } from '../../domain/channels/delivery.ts'
import { lines } from '../../domain/channels/lines.ts'
import { type LinkRecord, linkIdOf, readCode } from '../../domain/channels/link.ts'
import { type Conversation, conversationTitle, newConversation } from '../../domain/chat/conversation.ts'
import { mainConversation } from '../../domain/chat/names.ts'
import { DomainError } from '../../domain/errors.ts'
import { iso } from '../../domain/time.ts'
import type { OutboxPorts } from '../outbox/outbox.ts'
import type { Audit, Users } from '../ports/account.ts'
import type { Settings } from '../ports/basics.ts'
import type { ChannelLinks } from '../ports/channels.ts'
import type { Events } from '../ports/chat.ts'
import { outboxAs } from './outbox.ts'
import { type ChatPlatforms, platformOf } from './platforms.ts'
import { unlink } from './unlink.ts'

export type LinkPorts = ChatPlatforms & {
  channelLinks: ChannelLinks
  events: Events
  users: Users
  audit: Audit
  settings: Settings
} & OutboxPorts

interface Linked {
  link: LinkRecord | null
  text: string
}

/** A direct chat needs a code of the dashboard; a group needs its owner, who has linked a direct chat before. */
export async function linkChat(
  deps: LinkPorts,
  delivery: InboundDelivery,
  argument: string,
  nowMs: number,
): Promise<Linked> {
  const tried = await tryToLink(deps, delivery, argument, nowMs)
  if (tried.link) return tried
  // A concurrent run may process the same delivery.
  const stands = await deps.channelLinks.find(delivery.inbound.chat)
  return stands?.id === linkIdOf(delivery.messageId) ? tellLinked(deps, stands) : tried
}

/** Names the account in a direct chat, because the link may have been sent by somebody else. */
export async function linkedText(
  { settings, users }: { users: Users; settings: Settings },
  link: LinkRecord,
): Promise<string> {
  const user = link.kind === 'direct' ? await users.find(link.userId) : null
  return lines.linked(settings.publicOrigin, user ? maskedEmail(user.email) : undefined)
}

/** Announces a link in its chat and to its owner, on every run of its delivery: an earlier run may have died before. */
export async function tellLinked(
  deps: Pick<LinkPorts, 'events' | 'settings' | 'users'>,
  link: LinkRecord,
): Promise<Linked> {
  const { id: linkId, platform, person } = link
  await deps.events.record(link.userId, 'channel.changed', { linkId, platform, person })
  return { link, text: await linkedText(deps, link) }
}

async function tryToLink(deps: LinkPorts, delivery: InboundDelivery, argument: string, nowMs: number): Promise<Linked> {
  const { inbound } = delivery
  const { publicOrigin } = deps.settings
  const code = readCode(argument)
  if (inbound.chat.kind === 'group') {
    const linked = await linkGroup(deps, delivery, nowMs)
    return linked.link || !code ? linked : { link: null, text: lines.shownCode(publicOrigin) }
  }
  if (!code) return { link: null, text: argument.trim() ? lines.badCode(publicOrigin) : lines.sendCode(publicOrigin) }
  try {
    const userId = await deps.channelLinks.findCode(
      code,
      { platform: inbound.chat.platform, personId: inbound.person.id },
      nowMs,
    )
    if (!userId) return { link: null, text: lines.badCode(publicOrigin) }
    return await add(deps, newLink(delivery, userId, mainConversation, nowMs), code)
  } catch (error) {
    if (error instanceof DomainError && error.code === 'rate-limited') return { link: null, text: lines.tooManyGuesses }
    throw error
  }
}

async function linkGroup(deps: LinkPorts, delivery: InboundDelivery, nowMs: number): Promise<Linked> {
  const { chat, person } = delivery.inbound
  const own = await deps.channelLinks.ofPerson(chat.platform, person.id)
  if (!own || !(await platformOf(deps, chat).ownsChat(chat, person.id))) return { link: null, text: lines.groupOwner }
  const conversation = newConversation({
    id: deps.ids.next('cnv'),
    title: conversationTitle.safeParse(chat.title).data ?? null,
    startedBy: 'user',
    createdAt: iso(nowMs),
  })
  const linked = await add(deps, newLink(delivery, own.userId, conversation.id, nowMs), null, conversation)
  if (linked.link) await deps.events.record(own.userId, 'conversation.changed', { conversation })
  return linked
}

async function add(
  deps: LinkPorts,
  link: LinkRecord,
  code: string | null,
  starts: Conversation | null = null,
): Promise<Linked> {
  const former = await deps.channelLinks.find(link.chat)
  if (former?.state === 'lost') {
    const isSame = former.userId === link.userId && former.personId === link.personId
    const again = isSame && (await deps.channelLinks.change(former.userId, former.id, { state: 'linked' }))
    if (again) return tellLinked(deps, again)
    // A lost chat reaches nobody, so a valid code, or the group's owner, takes it over.
    await unlink(deps, former.userId, former.id, outboxAs(deps, former, 'deleteChannel'))
  }
  if (!(await deps.channelLinks.add(link, code, starts))) return { link: null, text: lines.tooManyLinks }
  return tellLinked(deps, link)
}

const newLink = (
  { messageId, inbound: { chat, person } }: InboundDelivery,
  userId: string,
  conversation: string,
  nowMs: number,
): LinkRecord => ({
  id: linkIdOf(messageId),
  userId,
  platform: chat.platform,
  kind: chat.kind,
  chat,
  personId: person.id,
  person: person.name,
  conversation,
  home: false,
  state: 'linked',
  createdAt: iso(nowMs),
})
