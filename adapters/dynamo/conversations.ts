import { randomUUID } from 'node:crypto'
import { taskLeaseMs } from '../../domain/agent/task.ts'
import { leaseMs, type Message } from '../../domain/chat/message.ts'
import type { Conversations } from '../../domain/chat/ports.ts'
import { conflict, notFound } from '../../domain/errors.ts'
import { idPattern, ulid } from '../../domain/ids.ts'
import type { Env } from '../env.ts'
import { change, changeInput, get, putInput, query, transact } from './calls.ts'
import { type Item, parse, toItem } from './item.ts'
import { messagePage } from './message-page.ts'
import { endKey, readMessage, type StoredPrompt, storedEnd, storedPrompt, toPrompt } from './prompt-item.ts'
import { readTaskLease, toTask } from './tasks.ts'

/** Writers of one prompt that may be in each other's way. */
const races = 5

const isPromptId = (id: string): boolean => idPattern('prm').test(id)

export function conversations(env: Env): Conversations {
  const table = () => env.table('conversations')
  const messagePut = (userId: string, { id, ...message }: Message) =>
    putInput(table(), 'item', { userId, item: id, ...message })

  const findMessage = async (userId: string, id: string): Promise<Message> => {
    const item = await get(table(), { userId, item: id })
    if (!item) throw new Error('a prompt names a reply that does not exist')
    return readMessage(item)
  }

  const findPrompt = async (userId: string, promptId: string): Promise<Item | null> =>
    isPromptId(promptId) ? get(table(), { userId, item: promptId }) : null

  const findEnd = async (userId: string, promptId: string) => {
    const item = isPromptId(promptId) ? await get(table(), endKey(userId, promptId)) : null
    return item && parse(storedEnd, item)
  }

  /** Open prompts and tasks between two sort keys, oldest first within each kind. */
  const waiting = (userId: string, from: string, to: string) => ({
    TableName: table(),
    KeyConditionExpression: '#userId = :user AND #item BETWEEN :from AND :to',
    ExpressionAttributeNames: { '#userId': 'userId', '#item': 'item' },
    ExpressionAttributeValues: toItem({ ':user': userId, ':from': from, ':to': to }),
    ConsistentRead: true,
  })

  const next: Conversations['next'] = async (userId, generation, nowMs, wanted) => {
    const range = waiting(userId, wanted.prompts ? 'prm_' : 'tsk_', wanted.tasks ? 'tsk_~' : 'prm_~')
    const prompts: Item[] = []
    for await (const item of query(range)) {
      if (item.item?.S?.startsWith('prm_')) prompts.push(item)
      else if (isFree(readTaskLease(item), generation, nowMs)) {
        const task = await take(table(), item, generation, nowMs, taskLeaseMs)
        if (task) return { prompt: null, task: toTask(task) }
      }
    }
    // A conversation whose older prompt is in hands waits for it.
    const busy = new Set<string>()
    for (const item of prompts) {
      const { conversation, ...lease } = parse(storedPrompt, item)
      if (busy.has(conversation)) continue
      const leased = isFree(lease, generation, nowMs) ? await take(table(), item, generation, nowMs, leaseMs) : null
      if (leased) return { prompt: toPrompt(leased), task: null }
      busy.add(conversation)
    }
    return { prompt: null, task: null }
  }

  return {
    async receive(userId, message, { id, ...prompt }) {
      const unleased = { attempt: 0, leaseUntil: 0, leaseGeneration: 0 }
      const promptPut = putInput(table(), 'item', { userId, item: id, ...prompt, ...unleased })
      // Ids are new, so only an attempt whose answer was lost can be in the way.
      await transact([{ Put: messagePut(userId, message) }, { Put: promptPut }])
    },

    async lease(userId, generation, nowMs) {
      return (await next(userId, generation, nowMs, { prompts: true, tasks: false })).prompt
    },

    next,

    async release(userId, generation) {
      for await (const item of query(waiting(userId, 'prm_', 'tsk_~'))) {
        if (item.leaseGeneration?.N !== String(generation)) continue
        await change({
          table: table(),
          key: { userId, item: item.item?.S ?? '' },
          update: 'SET #leaseUntil = :none',
          condition: '#leaseGeneration = :generation',
          values: { ':none': 0, ':generation': generation },
        })
      }
    },

    async openSince(userId, sinceMs) {
      const first = `prm_${ulid(Math.max(sinceMs, 0), new Uint8Array(16))}`
      const open = {
        TableName: table(),
        KeyConditionExpression: 'userId = :user AND #item BETWEEN :first AND :last',
        ExpressionAttributeNames: { '#item': 'item' },
        ExpressionAttributeValues: toItem({ ':user': userId, ':first': first, ':last': 'prm_~' }),
        ConsistentRead: true,
        Limit: 1,
      }
      for await (const _ of query(open)) return true
      return false
    },

    /** A prompt that was handed out and is not closed. */
    async openPrompt(userId, promptId) {
      const item = await findPrompt(userId, promptId)
      return item && parse(storedPrompt, item).attempt > 0 ? toPrompt(item) : null
    },

    async renewLease(userId, promptId, generation, nowMs) {
      if (!isPromptId(promptId)) return false
      const written = await change({
        table: table(),
        key: { userId, item: promptId },
        update: 'SET #leaseUntil = :until',
        condition: '#leaseGeneration = :generation',
        values: { ':until': nowMs + leaseMs, ':generation': generation },
      })
      return written.done
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
      const written = await transact([{ Update: answered }, { Put: messagePut(userId, message) }])
      if (written.done) return message
      const [prompt] = written.refused
      const known = prompt ? parse(storedPrompt, prompt) : await findEnd(userId, promptId)
      if (!known) throw notFound('prompt')
      if (!known.replyId) throw conflict('This prompt is closed. Take the next one.')
      return findMessage(userId, known.replyId)
    },

    async close(userId, promptId, outcome) {
      const me = randomUUID()
      for (let race = 1; race <= races; race++) {
        const item = await findPrompt(userId, promptId)
        if (!item) {
          const ended = await findEnd(userId, promptId)
          if (!ended) throw notFound('prompt')
          return ended.closedBy === me
        }
        const { replyId } = parse(storedPrompt, item)
        const gone = {
          TableName: table(),
          Key: toItem({ userId, item: promptId }),
          ConditionExpression: `attribute_exists(#item) AND ${replyId ? '#replyId = :reply' : 'attribute_not_exists(#replyId)'}`,
          ExpressionAttributeNames: { '#item': 'item', '#replyId': 'replyId' },
          ...(replyId && { ExpressionAttributeValues: toItem({ ':reply': replyId }) }),
        }
        const end = { ...endKey(userId, promptId), outcome, replyId, closedBy: me }
        const written = await transact([{ Delete: gone }, { Put: putInput(table(), 'item', end) }])
        if (written.done) return true
      }
      throw new Error('a prompt could not be closed while it changed')
    },

    messages: (userId, page) => messagePage(table(), userId, page),
  }
}

/** A lease holds for its time, but never longer than its generation. */
const isFree = (
  { leaseUntil, leaseGeneration }: Pick<StoredPrompt, 'leaseUntil' | 'leaseGeneration'>,
  generation: number,
  nowMs: number,
): boolean => leaseGeneration <= generation && (leaseUntil <= nowMs || leaseGeneration < generation)

/** Leases a waiting item; null when somebody else was faster. */
async function take(
  table: string,
  { userId, item }: Item,
  generation: number,
  nowMs: number,
  forMs: number,
): Promise<Item | null> {
  const me = randomUUID()
  const written = await change({
    table,
    key: { userId: userId?.S ?? '', item: item?.S ?? '' },
    update: 'SET #leaseUntil = :until, #leaseGeneration = :generation, #leasedBy = :me, #attempt = #attempt + :one',
    condition: `attribute_exists(#item) AND #leaseGeneration <= :generation
      AND (#leaseUntil <= :now OR #leaseGeneration < :generation)`,
    values: { ':until': nowMs + forMs, ':generation': generation, ':me': me, ':one': 1, ':now': nowMs },
  })
  if (written.done) return written.item
  return written.old?.leasedBy?.S === me ? written.old : null
}
