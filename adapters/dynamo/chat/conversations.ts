import { randomUUID } from 'node:crypto'
import * as z from 'zod'
import type { Conversations } from '../../../app/ports/chat.ts'
import { lost } from '../../../app/retry.ts'
import { taskLeaseMs } from '../../../domain/agent/task.ts'
import { leaseMs, type Outcome, outcome, type Prompt, prompt, promptOf } from '../../../domain/chat/message.ts'
import { mainConversation, promptIdOf } from '../../../domain/chat/names.ts'
import { maxUnaskedPerHour } from '../../../domain/chat/question.ts'
import { conflict, notFound } from '../../../domain/errors.ts'
import { firstIdAt, idPattern } from '../../../domain/ids.ts'
import { iso } from '../../../domain/time.ts'
import type { Env } from '../../env.ts'
import {
  changed,
  changeInput,
  deleteInput,
  get,
  getMany,
  itemRange,
  putInput,
  query,
  transact,
  untilWritten,
} from '../calls.ts'
import { itemAt } from '../expressions.ts'
import { toTask } from '../files/tasks.ts'
import { isFree, lease, renewLease, takeLease, unleased } from '../files/work-queue.ts'
import { type Item, parse, toItem } from '../item.ts'
import { useAttachments, usedBefore } from './attachments.ts'
import { conversationItem, conversationRecords } from './conversation-records.ts'
import { isGone } from './gone.ts'
import {
  everyMessage,
  findMessage,
  getMessage,
  messageKey,
  messagePage,
  messageWrites,
  newestFirst,
} from './messages.ts'
import { countMessage, recount, refusalOfMessage, uncountMessage } from './waiting.ts'
import { writeOnce } from './write-once.ts'

/** Retries of a write to one prompt. */
const races = 5

const isPromptId = (id: string): boolean => idPattern('prm').test(id)

/** A prompt that was never handed out has no attempt and no lease. */
const storedPrompt = prompt.omit({ id: true, attempt: true, leaseExpiresAt: true }).extend({
  item: z.string(),
  attempt: z.int(),
  ...lease.shape,
  replyId: z.string().optional(),
  activities: z.int().default(0),
  /** Its size in bytes in the count of waiting messages. */
  counted: z.int().optional(),
})

function toPrompt(item: Item): Prompt {
  const {
    item: id,
    leaseUntil,
    leaseGeneration: _,
    replyId: __,
    activities: ___,
    counted: ____,
    ...rest
  } = parse(storedPrompt, item)
  return { ...rest, id, leaseExpiresAt: iso(leaseUntil) }
}

/** Remains of a closed prompt, so that a late reply gets an answer. */
const endKey = (userId: string, promptId: string) => ({ userId, item: `end#${promptId}` })

const storedEnd = z.object({ outcome, closedBy: z.string(), conversation: z.string(), replyId: z.string().optional() })

export function conversations(env: Env): Conversations {
  const table = () => env.table('conversations')
  return {
    ...conversationRecords(table),
    ...handingOut(table),
    ...ending(table),
    ...writing(table),

    message: (userId, key) => findMessage(table(), userId, messageKey(key)),
    messages: (userId, page) => messagePage(table(), userId, page),
    newestFirst: (userId, page) => newestFirst(table(), userId, page),
    everyMessage: (userId, page) => everyMessage(table(), userId, page),
  }
}

const promptAt = (table: string, userId: string, promptId: string) =>
  itemAt<keyof typeof storedPrompt.shape | 'stoppedAt'>(table, { userId, item: promptId })

const findPrompt = async (table: string, userId: string, promptId: string): Promise<Item | null> =>
  isPromptId(promptId) ? get(table, { userId, item: promptId }) : null

async function findEnd(table: string, userId: string, promptId: string) {
  const item = isPromptId(promptId) ? await get(table, endKey(userId, promptId)) : null
  return item && parse(storedEnd, item)
}

/** Prompts and tasks by id. Ids of questions sort between them; nobody leases these. */
async function* work(table: string, userId: string, from: string, to: string): AsyncGenerator<Item> {
  for await (const item of query(itemRange(table, userId, from, to))) if (!item.item?.S?.startsWith('qst_')) yield item
}

type HandingOut = Pick<Conversations, 'next' | 'release' | 'openSince' | 'untaken' | 'openPrompt' | 'renewLease'>

const handingOut = (table: () => string): HandingOut => ({
  async next(userId, generation, nowMs, wanted) {
    const [from, to] = [wanted.prompts ? 'prm_' : 'tsk_', wanted.tasks ? 'tsk_~' : 'prm_~']
    const prompts: Item[] = []
    for await (const item of work(table(), userId, from, to)) {
      if (item.item?.S?.startsWith('prm_')) prompts.push(item)
      else if (isFree(parse(lease, item), generation, nowMs)) {
        const task = await takeLease(table(), item, generation, nowMs, taskLeaseMs)
        if (task) return { prompt: null, task: toTask(task) }
      }
    }
    // A conversation with a leased older prompt waits.
    const busy = new Set<string>()
    for (const item of prompts) {
      const { conversation, ...held } = parse(storedPrompt, item)
      if (busy.has(conversation)) continue
      const canTake = isFree(held, generation, nowMs) && !(await isGone(table(), userId, conversation))
      const leased = canTake ? await takeLease(table(), item, generation, nowMs, leaseMs) : null
      if (leased) return { prompt: toPrompt(leased), task: null }
      busy.add(conversation)
    }
    return { prompt: null, task: null }
  },

  async release(userId, generation) {
    for await (const item of work(table(), userId, 'prm_', 'tsk_~')) {
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
    for await (const item of work(table(), userId, 'prm_', 'tsk_~'))
      if (isFree(parse(lease, item), generation, nowMs)) return true
    return false
  },

  /** Null unless the prompt was handed out and is open. */
  async openPrompt(userId, promptId) {
    const item = await findPrompt(table(), userId, promptId)
    return item && parse(storedPrompt, item).attempt > 0 ? toPrompt(item) : null
  },

  async renewLease(userId, promptId, generation, nowMs, done) {
    if (!isPromptId(promptId)) return null
    const item = await renewLease(table(), { userId, item: promptId }, generation, nowMs + leaseMs, done)
    return item && { ...toPrompt(item), activities: parse(storedPrompt, item).activities }
  },
})

/** Moves an open prompt to the ended ones; false if it changed, or is leased beyond `freeAtMs`. */
async function end(table: string, item: Item, outcome: Outcome, closedBy: string, freeAtMs?: number): Promise<boolean> {
  const { item: promptId, conversation, replyId, counted } = parse(storedPrompt, item)
  const userId = item.userId?.S ?? ''
  const unchanged = replyId ? '#replyId = :reply' : 'attribute_not_exists(#replyId)'
  const free = freeAtMs === undefined ? '' : ' AND #leaseUntil <= :now'
  const values = { ...(replyId && { ':reply': replyId }), ...(freeAtMs !== undefined && { ':now': freeAtMs }) }
  const gone = deleteInput({
    ...promptAt(table, userId, promptId),
    condition: `attribute_exists(#item) AND ${unchanged}${free}`,
    ...(Object.keys(values).length > 0 && { values }),
  })
  const ended = { ...endKey(userId, promptId), outcome, conversation, replyId, closedBy }
  const off = counted === undefined ? [] : [uncountMessage(table, userId, counted)]
  return (await transact([{ Delete: gone }, { Put: putInput(table, 'item', ended) }, ...off])).done
}

const ending = (table: () => string): Pick<Conversations, 'stop' | 'close' | 'outcomeOf' | 'unanswered'> => ({
  async stop(userId, messageId, nowMs) {
    const me = randomUUID()
    const failure = () => new Error('a prompt could not be stopped while it changed')
    const promptId = promptIdOf(messageId)
    return untilWritten(races, failure, async () => {
      const item = await findPrompt(table(), userId, promptId)
      if (!item) {
        const ended = await findEnd(table(), userId, promptId)
        return ended?.closedBy === me ? { state: 'closed', promptId } : null
      }
      if (parse(storedPrompt, item).leaseUntil <= nowMs)
        return (await end(table(), item, 'stopped', me, nowMs)) ? { state: 'closed', promptId } : lost
      const noted = await changed({
        ...promptAt(table(), userId, promptId),
        update: 'SET #stoppedAt = if_not_exists(#stoppedAt, :at)',
        condition: '#leaseUntil > :now',
        values: { ':at': iso(nowMs), ':now': nowMs },
      })
      return noted ? { state: 'stopping', promptId } : lost
    })
  },

  async close(userId, promptId, outcome) {
    const me = randomUUID()
    const failure = () => new Error('a prompt could not be closed while it changed')
    return untilWritten(races, failure, async () => {
      const item = await findPrompt(table(), userId, promptId)
      if (!item) {
        const ended = await findEnd(table(), userId, promptId)
        if (!ended) throw notFound('prompt')
        return ended.closedBy === me
      }
      return (await end(table(), item, outcome, me)) || lost
    })
  },

  async unanswered(userId, promptIds) {
    const keys = promptIds.map((id) => toItem(endKey(userId, id)))
    const ends = (await getMany(table(), keys)).map((item) => ({ ...parse(storedEnd, item), item: item.item?.S ?? '' }))
    return new Map(
      ends.flatMap(({ item, outcome, replyId }) =>
        replyId || outcome === 'completed' ? [] : [[item.slice('end#'.length), outcome]],
      ),
    )
  },

  async outcomeOf(userId, promptId) {
    return (await findEnd(table(), userId, promptId))?.outcome ?? null
  },
})

const writing = (table: () => string): Pick<Conversations, 'receive' | 'say' | 'reply'> => ({
  /** @throws not-found for an unknown conversation, conflict if too many messages wait */
  async receive(userId, message, trigger, attachments, trace, limits, ...also) {
    const { id, ...prompt } = promptOf(message, trigger, attachments, trace)
    const nowMs = Date.parse(message.at)
    const bytes = Buffer.byteLength(message.text)
    const added = limits && { bytes, limits, ofToday: trigger === 'chat', nowMs }
    const waits = { ...prompt, ...unleased, ...(added && { counted: bytes }) }
    const promptPut = putInput(table(), 'item', { userId, item: id, ...waits })
    const said = messageWrites(table(), userId, message)
    const parts = [
      { Put: promptPut },
      ...said,
      ...useAttachments(table(), userId, message),
      ...(added ? [countMessage(table(), userId, added)] : []),
    ]
    const attempt = async (): Promise<boolean> => {
      const written = await transact(parts, ...also)
      // Ids are new, so only a retry after a lost answer finds its own message.
      if (written.done || written.refused[1] !== undefined) return written.done
      const full = written.refused.at(-1)
      if (added && full !== undefined) {
        if (await recount(table(), userId, full, nowMs)) return attempt()
        throw refusalOfMessage(full, added)
      }
      throw said.length > 1 && written.refused[2] === null ? notFound('conversation') : usedBefore()
    }
    return attempt()
  },

  /** @throws rate-limited, not-found for an unknown conversation */
  async say(userId, key, message, starts, nowMs, ...also) {
    const own = messageKey(message)
    const [put, noted] = messageWrites(table(), userId, message)
    const opened = starts && { Put: putInput(table(), 'item', conversationItem(userId, starts)) }
    const written = await writeOnce(
      table(),
      { userId, key, id: own, what: 'messages', most: maxUnaskedPerHour, nowMs },
      [put, opened ?? noted, ...useAttachments(table(), userId, message)].filter((part) => part !== undefined),
      ...also,
    )
    if (written === null) {
      const { conversation } = message
      const isThere =
        starts ?? (conversation === mainConversation || (await get(table(), { userId, item: conversation })))
      throw isThere ? usedBefore() : notFound('conversation')
    }
    if (written === own) return message
    const first = await findMessage(table(), userId, written)
    if (!first || (await isGone(table(), userId, first.conversation))) throw notFound('conversation')
    return first
  },

  /** @throws not-found for an unknown prompt, conflict for one that was closed without a reply */
  async reply(userId, promptId, message, ...also) {
    if (!isPromptId(promptId)) throw notFound('prompt')
    const answered = changeInput({
      ...promptAt(table(), userId, promptId),
      update: 'SET #replyId = :reply',
      condition: 'attribute_exists(#item) AND attribute_not_exists(#replyId)',
      values: { ':reply': message.id },
    })
    const said = [...messageWrites(table(), userId, message), ...useAttachments(table(), userId, message)]
    const written = await transact([{ Update: answered }, ...said], ...also)
    if (written.done) return message
    const [prompt, , record] = written.refused
    if (record === null && message.conversation !== mainConversation) throw notFound('prompt')
    if (prompt === undefined && message.attachments) throw usedBefore()
    const known = prompt ? parse(storedPrompt, prompt) : await findEnd(table(), userId, promptId)
    if (!known) throw notFound('prompt')
    if (!known.replyId) throw conflict('This prompt is closed. Take the next one.')
    return getMessage(table(), userId, messageKey({ conversation: known.conversation, id: known.replyId }))
  },
})
