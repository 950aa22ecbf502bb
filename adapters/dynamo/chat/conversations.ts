import { randomUUID } from 'node:crypto'
import type { TransactWriteItem } from '@aws-sdk/client-dynamodb'
import * as z from 'zod'
import type { Conversations } from '../../../app/chat/ports.ts'
import { lost } from '../../../app/retry.ts'
import { taskLeaseMs } from '../../../domain/agent/task.ts'
import { leaseMs, type Message, message, type Outcome, type Prompt, prompt } from '../../../domain/chat/message.ts'
import { maxUnaskedPerHour } from '../../../domain/chat/question.ts'
import { conflict, notFound } from '../../../domain/errors.ts'
import { firstIdAt, idPattern, timeOfId } from '../../../domain/ids.ts'
import { bytesInAnswer, maxPageBytes, type Page } from '../../../domain/page.ts'
import { iso } from '../../../domain/time.ts'
import type { Env } from '../../env.ts'
import { changed, changeInput, deleteInput, get, itemRange, putInput, query, transact, untilWritten } from '../calls.ts'
import { toTask } from '../files/tasks.ts'
import { isFree, lease, renewLease, takeLease, unleased } from '../files/work-queue.ts'
import { type Item, parse } from '../item.ts'
import { useAttachments, usedBefore } from './attachments.ts'
import { writeOnce } from './write-once.ts'

/** Writers of one prompt that may be in each other's way. */
const races = 5

const isPromptId = (id: string): boolean => idPattern('prm').test(id)

/** An open prompt as stored: never handed out, it has no attempt and no lease. */
const storedPrompt = prompt.omit({ id: true, attempt: true, leaseExpiresAt: true }).extend({
  item: z.string(),
  attempt: z.int(),
  ...lease.shape,
  replyId: z.string().optional(),
  activities: z.int().default(0),
})

function toPrompt(item: Item): Prompt {
  const { item: id, leaseUntil, leaseGeneration: _, replyId: __, activities: ___, ...rest } = parse(storedPrompt, item)
  return { ...rest, id, leaseExpiresAt: iso(leaseUntil) }
}

/** What is left of a closed prompt, so that a late reply can be answered. */
const endKey = (userId: string, promptId: string) => ({ userId, item: `end#${promptId}` })

const storedEnd = z.object({ closedBy: z.string(), replyId: z.string().optional() })

const readMessage = (item: Item) => parse(message, { ...item, id: item.item ?? { S: '' } })

export function conversations(env: Env): Conversations {
  const table = () => env.table('conversations')
  const messagePut = (userId: string, { id, ...message }: Message) =>
    putInput(table(), 'item', { userId, item: id, ...message })

  /** The message, with the attachments that it takes for itself. */
  const messageWrites = (userId: string, message: Message): TransactWriteItem[] => [
    { Put: messagePut(userId, message) },
    ...useAttachments(table(), userId, message),
  ]

  const findMessage = async (userId: string, id: string): Promise<Message> => {
    const item = await get(table(), { userId, item: id })
    if (!item) throw new Error('a prompt names a reply that does not exist')
    return readMessage(item)
  }

  const findPrompt = async (userId: string, promptId: string): Promise<Item | null> =>
    isPromptId(promptId) ? get(table(), { userId, item: promptId }) : null

  const findByMessage = async (userId: string, messageId: string): Promise<Item | null> => {
    // A prompt is younger than its message.
    for await (const item of query(itemRange(table(), userId, firstIdAt('prm', timeOfId(messageId)), 'prm_~')))
      if (item.messageId?.S === messageId) return item
    return null
  }

  const findEnd = async (userId: string, promptId: string) => {
    const item = isPromptId(promptId) ? await get(table(), endKey(userId, promptId)) : null
    return item && parse(storedEnd, item)
  }

  const next: Conversations['next'] = async (userId, generation, nowMs, wanted) => {
    const [from, to] = [wanted.prompts ? 'prm_' : 'tsk_', wanted.tasks ? 'tsk_~' : 'prm_~']
    const prompts: Item[] = []
    for await (const item of query(itemRange(table(), userId, from, to))) {
      if (item.item?.S?.startsWith('prm_')) prompts.push(item)
      else if (isFree(parse(lease, item), generation, nowMs)) {
        const task = await takeLease(table(), item, generation, nowMs, taskLeaseMs)
        if (task) return { prompt: null, task: toTask(task) }
      }
    }
    // A conversation whose older prompt is leased waits for it.
    const busy = new Set<string>()
    for (const item of prompts) {
      const { conversation, ...held } = parse(storedPrompt, item)
      if (busy.has(conversation)) continue
      const leased = isFree(held, generation, nowMs) ? await takeLease(table(), item, generation, nowMs, leaseMs) : null
      if (leased) return { prompt: toPrompt(leased), task: null }
      busy.add(conversation)
    }
    return { prompt: null, task: null }
  }

  /** Moves an open prompt to those that ended; false when it has changed, or is leased beyond `freeAtMs`. */
  const end = async (item: Item, outcome: Outcome, closedBy: string, freeAtMs?: number): Promise<boolean> => {
    const { item: promptId, replyId } = parse(storedPrompt, item)
    const userId = item.userId?.S ?? ''
    const unchanged = replyId ? '#replyId = :reply' : 'attribute_not_exists(#replyId)'
    const free = freeAtMs === undefined ? '' : ' AND #leaseUntil <= :now'
    const values = { ...(replyId && { ':reply': replyId }), ...(freeAtMs !== undefined && { ':now': freeAtMs }) }
    const gone = deleteInput({
      table: table(),
      key: { userId, item: promptId },
      condition: `attribute_exists(#item) AND ${unchanged}${free}`,
      ...(Object.keys(values).length > 0 && { values }),
    })
    const ended = { ...endKey(userId, promptId), outcome, replyId, closedBy }
    return (await transact([{ Delete: gone }, { Put: putInput(table(), 'item', ended) }])).done
  }

  const close: Conversations['close'] = async (userId, promptId, outcome) => {
    const me = randomUUID()
    const failure = () => new Error('a prompt could not be closed while it changed')
    return untilWritten(races, failure, async () => {
      const item = await findPrompt(userId, promptId)
      if (!item) {
        const ended = await findEnd(userId, promptId)
        if (!ended) throw notFound('prompt')
        return ended.closedBy === me
      }
      return (await end(item, outcome, me)) || lost
    })
  }

  return {
    async receive(userId, message, { id, ...prompt }) {
      const promptPut = putInput(table(), 'item', { userId, item: id, ...prompt, ...unleased })
      // Ids are new, so only an attempt whose answer was lost can be in the way.
      const written = await transact([{ Put: promptPut }, ...messageWrites(userId, message)])
      if (!written.done && written.refused[1] === undefined) throw usedBefore()
    },

    next,

    async release(userId, generation) {
      for await (const item of query(itemRange(table(), userId, 'prm_', 'tsk_~'))) {
        if (item.leaseGeneration?.N !== String(generation)) continue
        await renewLease(table(), { userId, item: item.item?.S ?? '' }, generation, 0)
      }
    },

    async openSince(userId, sinceMs) {
      const first = firstIdAt('prm', sinceMs)
      const open = itemRange(table(), userId, first, 'prm_~')
      for await (const _ of query({ ...open, Limit: 1 })) return true
      return false
    },

    async untaken(userId, generation, nowMs) {
      for await (const item of query(itemRange(table(), userId, 'prm_', 'tsk_~')))
        if (isFree(parse(lease, item), generation, nowMs)) return true
      return false
    },

    /** A prompt that was handed out and is not closed. */
    async openPrompt(userId, promptId) {
      const item = await findPrompt(userId, promptId)
      return item && parse(storedPrompt, item).attempt > 0 ? toPrompt(item) : null
    },

    async renewLease(userId, promptId, generation, nowMs, done) {
      if (!isPromptId(promptId)) return null
      const item = await renewLease(table(), { userId, item: promptId }, generation, nowMs + leaseMs, done)
      return item && { ...toPrompt(item), activities: parse(storedPrompt, item).activities }
    },

    async stop(userId, messageId, nowMs) {
      const me = randomUUID()
      const failure = () => new Error('a prompt could not be stopped while it changed')
      let promptId = ''
      return untilWritten(races, failure, async () => {
        const item = await findByMessage(userId, messageId)
        if (!item) {
          const ended = await findEnd(userId, promptId)
          return ended?.closedBy === me ? { state: 'closed', promptId } : null
        }
        promptId = item.item?.S ?? ''
        if (parse(storedPrompt, item).leaseUntil <= nowMs)
          return (await end(item, 'stopped', me, nowMs)) ? { state: 'closed', promptId } : lost
        const noted = await changed({
          table: table(),
          key: { userId, item: promptId },
          update: 'SET #stoppedAt = if_not_exists(#stoppedAt, :at)',
          condition: '#leaseUntil > :now',
          values: { ':at': iso(nowMs), ':now': nowMs },
        })
        return noted ? { state: 'stopping', promptId } : lost
      })
    },

    async say(userId, key, message, nowMs) {
      const written = await writeOnce(
        table(),
        { userId, key, id: message.id, what: 'messages', most: maxUnaskedPerHour, nowMs },
        messageWrites(userId, message),
      )
      return written === message.id ? message : findMessage(userId, written)
    },

    /** @throws not-found for a prompt that never was, conflict for one that was closed without a reply */
    async reply(userId, promptId, message) {
      if (!isPromptId(promptId)) throw notFound('prompt')
      const answered = changeInput({
        table: table(),
        key: { userId, item: promptId },
        update: 'SET #replyId = :reply',
        condition: 'attribute_exists(#item) AND attribute_not_exists(#replyId)',
        values: { ':reply': message.id },
      })
      const written = await transact([{ Update: answered }, ...messageWrites(userId, message)])
      if (written.done) return message
      const [prompt] = written.refused
      if (prompt === undefined) throw usedBefore()
      const known = prompt ? parse(storedPrompt, prompt) : await findEnd(userId, promptId)
      if (!known) throw notFound('prompt')
      if (!known.replyId) throw conflict('This prompt is closed. Take the next one.')
      return findMessage(userId, known.replyId)
    },

    close,

    messages: (userId, page) => messagePage(table(), userId, page),
  }
}

/**
 * The messages after one, or else the newest, before one if asked; oldest first, and fewer when they are long. `next` goes
 * on in the same direction, null where nothing follows.
 */
async function messagePage(
  table: string,
  userId: string,
  { after, before, limit }: Parameters<Conversations['messages']>[1],
): Promise<Page<Message>> {
  if (after !== null && !idPattern('msg').test(after)) return { items: [], next: null }
  const [from, to] = after === null ? ['msg_', before ?? 'msg_~'] : [`${after}!`, 'msg_~']
  // One more than asked for says whether there is more; the range has `before` itself in it.
  const asked = {
    ...itemRange(table, userId, from, to),
    ScanIndexForward: after !== null,
    Limit: limit + (before ? 2 : 1),
  }
  const items: Message[] = []
  let bytes = 0
  let more = false
  for await (const item of query(asked)) {
    const read = readMessage(item)
    if (read.id === before) continue
    bytes += bytesInAnswer(read)
    more = items.length === limit || (items.length > 0 && bytes > maxPageBytes)
    if (more) break
    items.push(read)
  }
  const next = more ? (items.at(-1)?.id ?? null) : null
  return { items: after === null ? items.reverse() : items, next }
}
