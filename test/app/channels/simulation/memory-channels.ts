/**
 * The stores of channels in memory, with the same meaning as those over DynamoDB: the same contract test runs over
 * both.
 */
import type { ChannelLinks, DeliveryLog, InboundDeliveries, OutgoingMessages } from '../../../../app/ports/channels.ts'
import { type InboundDelivery, type Outgoing, type SentSoFar, sentSoFar } from '../../../../domain/channels/delivery.ts'
import { chatKey } from '../../../../domain/channels/inbound.ts'
import { chatsOf, type LinkRecord, maxGuessesPerHour } from '../../../../domain/channels/link.ts'
import { maxLinks } from '../../../../domain/channels/link-limits.ts'
import type { Conversation } from '../../../../domain/chat/conversation.ts'
import { rateLimited } from '../../../../domain/errors.ts'
import { shardOf } from '../../../../domain/ids.ts'
import { hourMs } from '../../../../domain/time.ts'
import { always, partOf, transact } from './memory-part.ts'

type ChatName = Parameters<InboundDeliveries['open']>[0]

/** The tables of channels. */
export class ChannelTables {
  readonly codes = new Map<string, { userId: string; untilMs: number }>()
  readonly guesses = new Map<string, number>()
  readonly links = new Map<string, LinkRecord>()
  /** Chats that have new ids, by their former ids. */
  readonly moved = new Map<string, ChatName>()
  /** By chat, then by the id of the event there. */
  readonly inbound = new Map<string, Map<string, InboundDelivery>>()
  readonly outgoing = new Map<string, Outgoing>()
  readonly sent = new Map<string, SentSoFar>()
  /** Items with a due time. */
  readonly due = new Set<InboundDelivery | Outgoing>()

  ofChat(chat: ChatName): Map<string, InboundDelivery> {
    const found = this.inbound.get(chatKey(chat)) ?? new Map<string, InboundDelivery>()
    this.inbound.set(chatKey(chat), found)
    return found
  }

  putInbound(next: InboundDelivery): void {
    const chat = this.ofChat(next.inbound.chat)
    this.#due(chat.get(next.inbound.id), next)
    chat.set(next.inbound.id, next)
  }

  putOutgoing(next: Outgoing): void {
    this.#due(this.outgoing.get(outKey(next)), next)
    this.outgoing.set(outKey(next), next)
  }

  #due(before: InboundDelivery | Outgoing | undefined, next: InboundDelivery | Outgoing): void {
    if (before) this.due.delete(before)
    if (next.dueAt !== undefined) this.due.add(next)
  }

  /** When the next item is due, ms; null when none is. */
  nextDueMs(): number | null {
    let first: number | null = null
    for (const { dueAt = 0 } of this.due) if (first === null || dueAt < first) first = dueAt
    return first
  }
}

const outKey = ({ userId, key }: Pick<Outgoing, 'userId' | 'key'>): string => `${userId} ${key}`

const isInbound = (delivery: InboundDelivery | Outgoing): delivery is InboundDelivery => 'inbound' in delivery

const without = <T extends object, K extends keyof T>(record: T, ...names: K[]): Omit<T, K> => {
  const left = { ...record }
  for (const name of names) delete left[name]
  return left
}

export function memoryLinks(
  tables: ChannelTables,
  start: (userId: string, conversation: Conversation) => void,
): ChannelLinks {
  const { codes, guesses, links } = tables
  const list = (userId: string) => [...links.values()].filter((link) => link.userId === userId)
  const ofUser = (userId: string, id: string) => list(userId).find((link) => link.id === id) ?? null
  const ofPerson: ChannelLinks['ofPerson'] = async (platform, personId) =>
    [...links.values()].find(
      (link) => link.kind === 'direct' && link.platform === platform && link.personId === personId,
    ) ?? null
  const find: ChannelLinks['find'] = async (chat) => {
    const to = tables.moved.get(chatKey(chat))
    return to ? find(to) : (links.get(chatKey(chat)) ?? null)
  }
  return {
    async addCode(userId, code, untilMs) {
      codes.set(code, { userId, untilMs })
      return true
    },
    async findCode(code, { platform, personId }, nowMs) {
      const found = codes.get(code)
      if (found && found.untilMs > nowMs) return found.userId
      const key = `${platform} ${personId} ${Math.floor(nowMs / hourMs)}`
      const count = guesses.get(key) ?? 0
      if (count >= maxGuessesPerHour) throw rateLimited(Math.ceil((hourMs - (nowMs % hourMs)) / 1000))
      guesses.set(key, count + 1)
      return null
    },
    async endCode(code) {
      codes.delete(code)
    },
    async add(link, code, starts) {
      const taken =
        links.has(chatKey(link.chat)) || (link.kind === 'direct' && (await ofPerson(link.platform, link.personId)))
      if (taken || (code !== null && !codes.has(code)) || list(link.userId).length >= maxLinks) return false
      return transact(
        always(() => {
          links.set(chatKey(link.chat), link)
          if (code !== null) codes.delete(code)
          if (starts) start(link.userId, starts)
        }),
      )
    },
    find,
    ofPerson,
    list: async (userId) => list(userId),
    async change(userId, id, to) {
      const link = ofUser(userId, id)
      if (!link) return null
      links.set(chatKey(link.chat), { ...link, ...to })
      return { ...link, ...to }
    },
    async move(link, to) {
      const chat = { ...link.chat, id: to }
      const now = links.get(chatKey(link.chat))
      if (now?.id !== link.id || now.home !== link.home || links.has(chatKey(chat))) return null
      const moved: LinkRecord = { ...link, chat, state: 'linked', formerChatId: link.chat.id }
      transact(
        always(() => {
          links.delete(chatKey(link.chat))
          links.set(chatKey(chat), moved)
          tables.moved.set(chatKey(link.chat), chat)
        }),
      )
      return moved
    },
    async wait(chat, untilMs) {
      const link = links.get(chatKey(chat))
      if (link) links.set(chatKey(chat), { ...link, waitUntilMs: untilMs })
    },
    async chooseHome(userId, id) {
      if (!ofUser(userId, id)) return null
      for (const link of list(userId)) links.set(chatKey(link.chat), { ...link, home: link.id === id })
      return ofUser(userId, id)
    },
    async remove(userId, id, ...also) {
      const link = ofUser(userId, id)
      if (link)
        transact(
          always(() => {
            links.delete(chatKey(link.chat))
            for (const former of chatsOf(link).slice(1)) tables.moved.delete(chatKey(former))
          }),
          also,
        )
      return link
    },
  }
}

export function memoryInbound(tables: ChannelTables): InboundDeliveries {
  const inOrder = (chat: ChatName) =>
    [...tables.ofChat(chat).values()].sort((a, b) => (a.inbound.id < b.inbound.id ? -1 : 1))
  const now = ({ inbound }: Pick<InboundDelivery, 'inbound'>) => tables.ofChat(inbound.chat).get(inbound.id)
  return {
    async add(delivery) {
      if (now(delivery)) return false
      tables.putInbound(delivery)
      return true
    },
    async open(chat, from) {
      const found: InboundDelivery[] = []
      let seenInARow = 0
      for (const delivery of inOrder(chat).reverse()) {
        if (delivery.state === 'received') found.push(delivery)
        seenInARow = delivery.state === 'received' ? 0 : seenInARow + 1
        if (delivery.inbound.id < from && seenInARow >= 25) break
      }
      return found.reverse()
    },
    async before({ chat, id }, most) {
      const older = inOrder(chat).filter(({ inbound }) => inbound.id < id)
      const last = older.findLastIndex(({ state }) => state === 'done')
      return older.slice(last + 1).slice(-most)
    },
    async settle(delivery, { state, reason, userId }, line) {
      const known = now(delivery)
      if (known?.state !== 'received') return false
      transact(
        always(() => {
          const words = { state, ...(reason && { reason }), ...(userId && { userId }) }
          tables.putInbound({ ...without(known, 'dueAt'), ...words })
          if (line && !tables.outgoing.has(outKey(line))) tables.putOutgoing(line)
        }),
      )
      return true
    },
    async fail(delivery, reason, nextMs, userId) {
      const known = now(delivery)
      if (known?.state !== 'received') return
      const noted = { reason, failures: delivery.failures + 1, ...(userId && { userId }) }
      if (nextMs !== null) tables.putInbound({ ...known, ...noted, dueAt: nextMs })
      else tables.putInbound({ ...without(known, 'dueAt'), ...noted, state: 'failed' })
    },
    async due(shard, nowMs) {
      const late = [...tables.due].filter(isInbound).filter(({ dueAt = 0 }) => dueAt <= nowMs)
      const found = late.map(({ inbound: { chat, id } }) => ({ chat: { platform: chat.platform, id: chat.id }, id }))
      return found.filter(({ chat }) => shardOf(`chat#${chatKey(chat)}`) === shard)
    },
    find: async (chat, id) => tables.ofChat(chat).get(id) ?? null,
    async retry(userId, delivery, nowMs) {
      const known = now(delivery)
      if (known?.state !== 'failed' || known.userId !== userId) return false
      tables.putInbound({ ...known, state: 'received', failures: 0, dueAt: nowMs })
      return true
    },
  }
}

export function memoryOutgoing(tables: ChannelTables): OutgoingMessages {
  const { outgoing, sent } = tables
  const of = (userId: string, key: string) => outgoing.get(outKey({ userId, key }))
  const sentOf = (userId: string, key: string) => sent.get(outKey({ userId, key })) ?? sentSoFar.parse({})
  const sayLast = (known: Outgoing, final: Outgoing['final'], nowMs: number): Outgoing => ({
    ...without(known, 'draft'),
    final,
    state: 'sending',
    failures: 0,
    dueAt: nowMs,
  })
  return {
    entry: (message) => partOf(always(() => tables.putOutgoing(message))),
    finalContent(userId, key, final, nowMs) {
      const write = () => {
        const known = of(userId, key)
        if (known) tables.putOutgoing(sayLast(known, final, nowMs))
      }
      return partOf({ holds: () => of(userId, key) !== undefined, write })
    },
    find: async (userId, key) => of(userId, key) ?? null,
    async openReplies(userId) {
      const all = [...outgoing.values()].filter(
        (message) => message.userId === userId && message.key.startsWith('prm_'),
      )
      return all.filter(({ state }) => state === 'open').sort((a, b) => (a.key < b.key ? 1 : -1))
    },
    async replace(userId, key, final, nowMs) {
      const known = of(userId, key)
      if (known) tables.putOutgoing({ ...sayLast(known, final, nowMs), revision: known.revision + 1 })
    },
    async grow(userId, key, draft) {
      const known = of(userId, key)
      if (known?.state === 'open') tables.putOutgoing({ ...known, draft })
    },
    sent: async (userId, key) => sentOf(userId, key),
    async hold({ userId, key }, nowMs, untilMs) {
      const known = sentOf(userId, key)
      if (known.heldUntilMs > nowMs) return null
      const held = { ...known, heldUntilMs: untilMs }
      sent.set(outKey({ userId, key }), held)
      return held
    },
    async recordSent({ userId, key }, { heldUntilMs }, now) {
      if (sentOf(userId, key).heldUntilMs !== heldUntilMs) throw new Error('somebody else speaks about this message')
      sent.set(outKey({ userId, key }), now)
    },
    async settle({ userId, key, revision, state: before }, { state, failures, reason, dueAt }) {
      const known = of(userId, key)
      if (known?.state !== before || known.revision !== revision) return false
      const words = { state, failures, reason: reason ?? known.reason }
      tables.putOutgoing(dueAt === null ? { ...without(known, 'dueAt'), ...words } : { ...known, ...words, dueAt })
      return true
    },
    async due(shard, nowMs) {
      const late = [...tables.due].flatMap((delivery) =>
        isInbound(delivery) || (delivery.dueAt ?? 0) > nowMs ? [] : [delivery],
      )
      return late.filter(({ userId }) => shardOf(userId) === shard).map(({ userId, key }) => ({ userId, key }))
    },
    async retry(userId, key, nowMs) {
      const known = of(userId, key)
      if (known?.state !== 'failed') return false
      tables.putOutgoing({ ...known, state: 'sending', failures: 0, dueAt: nowMs })
      return true
    },
  }
}

export const memoryLog = (tables: ChannelTables): DeliveryLog => ({
  async list(userId, { after, limit }) {
    const inbound = [...tables.inbound.values()].flatMap((chat) => [...chat.values()])
    const all = [
      ...inbound
        .filter((delivery) => delivery.userId === userId)
        .map((delivery) => ({ at: delivery.createdAt, in: delivery })),
      ...[...tables.outgoing.values()]
        .filter((message) => message.userId === userId)
        .map((message) => ({ at: message.createdAt, out: message })),
    ].sort((a, b) => b.at.localeCompare(a.at))
    const from = Number(after ?? 0)
    const items = all.slice(from, from + limit).map(({ at: _, ...delivery }) => delivery)
    return { items, next: all.length > from + limit ? String(from + limit) : null }
  },
})
