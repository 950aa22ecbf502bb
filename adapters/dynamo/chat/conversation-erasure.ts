import * as z from 'zod'
import type { ConversationErasure, ConversationPart, Trace } from '../../../app/ports/chat.ts'
import { promptIdOf } from '../../../domain/chat/names.ts'
import type { Env } from '../../env.ts'
import { change, getMany, itemRange, query, queryAll, remove, removeMany } from '../calls.ts'
import { type Item, parse, toItem } from '../item.ts'
import { remembering } from '../notifications/unread.ts'
import { goneKey } from './gone.ts'
import { messageKey } from './messages.ts'

const partLength = 200

const storedFile = z.object({ id: z.string(), instanceId: z.string() })

const textIn = (item: Item | undefined, name: string): string | undefined => item?.[name]?.S

const trace = (table: Trace['table'], key: string, about: Omit<Trace, 'table' | 'key'>): Trace => ({
  table,
  key,
  ...Object.fromEntries(Object.entries(about).filter(([, id]) => id !== undefined)),
})

export function conversationErasure(env: Env): ConversationErasure {
  const table = () => env.table('conversations')
  return {
    async openPrompts(userId, conversation) {
      const open: string[] = []
      for await (const { item, conversation: its } of query(itemRange(table(), userId, 'prm_', 'prm_~')))
        if (item?.S && its?.S === conversation) open.push(item.S)
      return open
    },

    traces: async (userId) => [...(await eventTraces(env, userId)), ...(await notificationTraces(env, userId))],

    async removeTraces(userId, traces) {
      const keysIn = (name: Trace['table']) => [
        ...new Set(traces.flatMap(({ table, key }) => (table === name ? [key] : []))),
      ]
      const events = keysIn('events').map((id) => ({ userId, id }))
      const notifications = keysIn('notifications')
      await Promise.all([
        removeMany(env.table('events'), events),
        removeMany(
          env.table('notifications'),
          notifications.map((item) => ({ userId, item })),
        ),
      ])
      if (notifications.length > 0) await change(remembering(env.table('notifications'), userId, [], notifications))
    },

    async nextPart(userId, conversation) {
      const [messages, questions] = await Promise.all([
        firstOf(table(), userId, `in#${conversation}#`),
        firstOf(table(), userId, `asked#${conversation}#`),
      ])
      const files = [...new Set(messages.flatMap(({ item }) => attachmentsOf(item)))]
      const stored = await getMany(
        table(),
        files.map((item) => toItem({ userId, item })),
      )
      return {
        messageIds: messages.map(({ id }) => id),
        questionIds: questions.map(({ id }) => id),
        files: stored.map((item) => parse(storedFile, { ...item, id: item.item ?? { S: '' } })),
      }
    },

    removePart: (userId, conversation, part) =>
      removeMany(
        table(),
        keysOf(conversation, part).map((item) => ({ userId, item })),
      ),

    async finish(userId, conversation) {
      await remove(table(), goneKey(userId, conversation))
    },
  }
}

async function firstOf(table: string, userId: string, prefix: string): Promise<{ id: string; item: Item }[]> {
  const found: { id: string; item: Item }[] = []
  for await (const item of query({ ...itemRange(table, userId, prefix, `${prefix}~`), Limit: partLength })) {
    found.push({ id: item.item?.S?.slice(prefix.length) ?? '', item })
    if (found.length === partLength) break
  }
  return found
}

const attachmentsOf = ({ attachments }: Item): string[] =>
  (attachments?.L ?? []).flatMap(({ M }) => textIn(M, 'id') ?? [])

/** The records of a message are erased before the message, so that a crash leaves nothing that no message names. */
const keysOf = (conversation: string, { messageIds, questionIds, files }: ConversationPart): string[] => [
  ...files.map(({ id }) => id),
  ...messageIds.map((id) => `end#${promptIdOf(id)}`),
  ...questionIds,
  ...questionIds.map((id) => `asked#${conversation}#${id}`),
  ...messageIds.map((id) => messageKey({ conversation, id })),
]

const eventTraces = (env: Env, userId: string): Promise<Trace[]> =>
  queryAll(
    {
      TableName: env.table('events'),
      KeyConditionExpression: 'userId = :user',
      ExpressionAttributeValues: toItem({ ':user': userId }),
      ConsistentRead: true,
    },
    ({ id, data }) =>
      trace('events', id?.S ?? '', {
        conversation: textIn(data?.M?.message?.M, 'conversation') ?? textIn(data?.M?.conversation?.M, 'id'),
        promptId: textIn(data?.M, 'promptId'),
        questionId: textIn(data?.M, 'questionId'),
      }),
  )

/** A notification's page names its conversation; the key of its fact names a prompt or a question. */
async function notificationTraces(env: Env, userId: string): Promise<Trace[]> {
  const table = env.table('notifications')
  const [named, facts] = await Promise.all([
    queryAll(itemRange(table, userId, 'ntf_', 'ntf_~'), ({ item, page }) =>
      trace('notifications', item?.S ?? '', { conversation: page?.S?.match(/[?&]conversation=(cnv_\w+)/)?.[1] }),
    ),
    queryAll(itemRange(table, userId, 'once#', 'once#~'), ({ item, id }) =>
      trace('notifications', id?.S ?? '', {
        promptId: item?.S?.match(/ (prm_\w+)$/)?.[1],
        questionId: item?.S?.match(/ (qst_\w+)$/)?.[1],
      }),
    ),
  ])
  return [...named, ...facts]
}
