import { randomUUID } from 'node:crypto'
import { leaseMs, type Message, type Prompt } from '../../domain/chat/message.ts'
import type { Conversations } from '../../domain/chat/ports.ts'
import { conflict, notFound } from '../../domain/errors.ts'
import { idPattern } from '../../domain/ids.ts'
import type { Env } from '../env.ts'
import { change, changeInput, get, putInput, query, transact } from './calls.ts'
import { type Item, parse, toItem } from './item.ts'
import { messagePage } from './message-page.ts'
import { endKey, readMessage, type StoredPrompt, storedEnd, storedPrompt, toPrompt } from './prompt-item.ts'

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

  return {
    async receive(userId, message, { id, ...prompt }) {
      const unleased = { attempt: 0, leaseUntil: 0, leaseGeneration: 0 }
      const promptPut = putInput(table(), 'item', { userId, item: id, ...prompt, ...unleased })
      // Ids are new, so only an attempt whose answer was lost can be in the way.
      await transact([{ Put: messagePut(userId, message) }, { Put: promptPut }])
    },

    async lease(userId, generation, nowMs) {
      const open = {
        TableName: table(),
        KeyConditionExpression: 'userId = :user AND begins_with(#item, :prompts)',
        ExpressionAttributeNames: { '#item': 'item' },
        ExpressionAttributeValues: toItem({ ':user': userId, ':prompts': 'prm_' }),
        ConsistentRead: true,
      }
      // A conversation whose older prompt is in hands waits for it.
      const busy = new Set<string>()
      for await (const item of query(open)) {
        const { item: id, conversation, ...lease } = parse(storedPrompt, item)
        if (busy.has(conversation)) continue
        const leased = isFree(lease, generation, nowMs) ? await take(table(), userId, id, generation, nowMs) : null
        if (leased) return leased
        busy.add(conversation)
      }
      return null
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
        if (!item) return (await findEnd(userId, promptId))?.closedBy === me
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

async function take(
  table: string,
  userId: string,
  promptId: string,
  generation: number,
  nowMs: number,
): Promise<Prompt | null> {
  const me = randomUUID()
  const written = await change({
    table,
    key: { userId, item: promptId },
    update: 'SET #leaseUntil = :until, #leaseGeneration = :generation, #leasedBy = :me, #attempt = #attempt + :one',
    condition: `attribute_exists(#item) AND #leaseGeneration <= :generation
      AND (#leaseUntil <= :now OR #leaseGeneration < :generation)`,
    values: { ':until': nowMs + leaseMs, ':generation': generation, ':me': me, ':one': 1, ':now': nowMs },
  })
  if (written.done) return toPrompt(written.item)
  return written.old?.leasedBy?.S === me ? toPrompt(written.old) : null
}
