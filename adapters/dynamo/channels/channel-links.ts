import { createHash } from 'node:crypto'
import * as z from 'zod'
import type { ChannelLinks } from '../../../app/ports/channels.ts'
import { chatsOf, type LinkRecord, linkRecord, maxGuessesPerHour } from '../../../domain/channels/link.ts'
import { maxLinks } from '../../../domain/channels/link-limits.ts'
import { rateLimited } from '../../../domain/errors.ts'
import { hourMs, iso, secondMs } from '../../../domain/time.ts'
import type { Env } from '../../env.ts'
import {
  change,
  changed,
  changeInput,
  deleteInput,
  get,
  plainDelete,
  putInput,
  putNew,
  queryAll,
  remove,
  setting,
  transact,
} from '../calls.ts'
import { conversationItem } from '../chat/conversation-records.ts'
import { itemAt } from '../expressions.ts'
import { type Item, parse } from '../item.ts'
import { chatId, rangeOf, ttlOf, userKey } from './keys.ts'

/** The link's id is stored as `linkId`, because the table's key is called `id`. */
const read = (item: Item): LinkRecord => parse(linkRecord, { ...item, ...(item.linkId && { id: item.linkId }) })

const codeKey = (code: string) => ({
  id: `code#${createHash('sha256').update(code).digest('base64url')}`,
  item: 'code',
})
const storedCode = z.object({ userId: z.string(), ttl: z.int() })

type LinkKey = Record<'id' | 'item', string>

/** One item per way to find a link: by chat, by user, and by person in a direct chat. */
function keysOf(link: LinkRecord): LinkKey[] {
  const { platform, personId, kind, userId, chat, id } = link
  return [
    { id: chatId(chat), item: 'link' },
    { id: userKey(userId), item: `link#${id}` },
    ...(kind === 'direct' ? [{ id: `person#${platform}#${personId}`, item: 'link' }] : []),
  ]
}

export function channelLinks(env: Env): ChannelLinks {
  const table = () => env.table('channels')
  return {
    ...codes(table),
    ...counted(table, () => env.table('conversations')),
    ...changes(table),

    find: (chat) => find(table(), chat),
    list: (userId) => list(table(), userId),

    async ofPerson(platform, personId) {
      const item = await get(table(), { id: `person#${platform}#${personId}`, item: 'link' })
      return item && read(item)
    },
  }
}

const linkAt = (table: string, key: LinkKey) => itemAt<keyof LinkRecord | 'linkId' | 'waitUntilMs'>(table, key)

async function ofUser(table: string, userId: string, id: string): Promise<LinkRecord | null> {
  const item = await get(table, { id: userKey(userId), item: `link#${id}` })
  return item && read(item)
}

async function find(table: string, chat: Parameters<ChannelLinks['find']>[0]): Promise<LinkRecord | null> {
  const item = await get(table, { id: chatId(chat), item: 'link' })
  const link = item && read(item)
  // The item of a former chat id only names the current chat; its other attributes may be old.
  return link === null || link.chat.id === chat.id ? link : find(table, link.chat)
}

const list = (table: string, userId: string): Promise<LinkRecord[]> =>
  queryAll(rangeOf(table, userKey(userId), 'link#', 'link#~'), read)

const codes = (table: () => string): Pick<ChannelLinks, 'addCode' | 'findCode' | 'endCode'> => ({
  async addCode(userId, code, untilMs, ...also) {
    const written = await putNew(table(), 'item', { ...codeKey(code), userId, ttl: ttlOf(untilMs) }, ...also)
    // A collision (one in 852 billion) must not give the code to somebody else.
    if (!written.done) throw new Error('this code is somebody else’s')
    return true
  },

  /** @throws rate-limited */
  async findCode(code, guesser, nowMs) {
    const item = await get(table(), codeKey(code))
    const found = item && parse(storedCode, item)
    if (found && found.ttl * secondMs > nowMs) return found.userId
    const hour = Math.floor(nowMs / hourMs)
    const counted = await change({
      ...itemAt<'count'>(table(), {
        id: `person#${guesser.platform}#${guesser.personId}`,
        item: `guesses#${hour}`,
      }),
      update: 'SET #ttl = :ttl ADD #count :one',
      condition: 'attribute_not_exists(#count) OR #count < :most',
      values: { ':ttl': ttlOf((hour + 2) * hourMs), ':one': 1, ':most': maxGuessesPerHour },
    })
    if (!counted.done) throw rateLimited(Math.ceil((hourMs - (nowMs % hourMs)) / secondMs))
    return null
  },

  async endCode(code) {
    await remove(table(), codeKey(code))
  },
})

const counted = (table: () => string, conversations: () => string): Pick<ChannelLinks, 'add' | 'remove'> => ({
  async add(link, code, starts) {
    const items = keysOf(link).map((key) => ({
      Put: putInput(table(), 'item', { ...link, linkId: link.id, ...key }),
    }))
    const used = code
      ? [{ Delete: deleteInput({ ...itemAt(table(), codeKey(code)), condition: 'attribute_exists(#item)' }) }]
      : []
    const started = starts ? [{ Put: putInput(conversations(), 'item', conversationItem(link.userId, starts)) }] : []
    return (await transact([...items, ...used, ...started, countLinks(table(), link.userId, 1)])).done
  },

  async remove(userId, id, ...also) {
    const link = await ofUser(table(), userId, id)
    if (!link) return null
    const gone = keysOf(link).map((key) => ({
      Delete: deleteInput({ ...linkAt(table(), key), condition: 'attribute_exists(#item)' }),
    }))
    const former = chatsOf(link)
      .slice(1)
      .map((chat) => ({ Delete: plainDelete(table(), { id: chatId(chat), item: 'link' }) }))
    return (await transact([...gone, ...former, countLinks(table(), userId, -1)], ...also)).done ? link : null
  },
})

const countLinks = (table: string, userId: string, by: 1 | -1) => ({
  Update: changeInput({
    ...itemAt<'count'>(table, { id: userKey(userId), item: 'links' }),
    update: 'SET #userId = :user, #createdAt = if_not_exists(#createdAt, :never) ADD #count :by',
    ...(by > 0 && { condition: 'attribute_not_exists(#count) OR #count < :most' }),
    // The erasure finds the item by user and time.
    values: { ':by': by, ':user': userId, ':never': iso(0), ...(by > 0 && { ':most': maxLinks }) },
  }),
})

const changes = (table: () => string): Pick<ChannelLinks, 'change' | 'move' | 'wait' | 'chooseHome'> => ({
  async change(userId, id, to) {
    const link = await ofUser(table(), userId, id)
    if (!link) return null
    const changes = keysOf(link).map((key) => ({
      Update: changeInput({ ...linkAt(table(), key), ...setting(to), condition: 'attribute_exists(#item)' }),
    }))
    return (await transact(changes)).done ? { ...link, ...to } : null
  },

  async move(link, to) {
    const chat = { ...link.chat, id: to }
    const moved: LinkRecord = { ...link, chat, state: 'linked', formerChatId: link.chat.id }
    const { update, values } = setting({ chat, state: moved.state, formerChatId: link.chat.id })
    const asRead = {
      condition: '#linkId = :link AND #chat.#id = :from AND #home = :home',
      values: { ...values, ':link': link.id, ':from': link.chat.id, ':home': link.home },
    } as const
    const changes = keysOf(link).map((key) => ({ Update: changeInput({ ...linkAt(table(), key), update, ...asRead }) }))
    const there = { ...moved, linkId: link.id, id: chatId(chat), item: 'link' }
    return (await transact([...changes, { Put: putInput(table(), 'item', there) }])).done ? moved : null
  },

  async wait(chat, untilMs) {
    await changed({
      ...linkAt(table(), { id: chatId(chat), item: 'link' }),
      update: 'SET #waitUntilMs = :until',
      condition: 'attribute_exists(#item)',
      values: { ':until': untilMs },
    })
  },

  async chooseHome(userId, id, ...also) {
    const all = await list(table(), userId)
    const chosen = all.find((link) => link.id === id)
    if (!chosen) return null
    const changes = all.flatMap((link) =>
      link.home === (link === chosen) ? [] : keysOf(link).map((key) => ({ key, home: link === chosen })),
    )
    const parts = changes.map(({ key, home }) => ({
      Update: changeInput({ ...linkAt(table(), key), ...setting({ home }), condition: 'attribute_exists(#item)' }),
    }))
    if (parts.length > 0 && !(await transact(parts, ...also)).done) return null
    return { ...chosen, home: true }
  },
})
