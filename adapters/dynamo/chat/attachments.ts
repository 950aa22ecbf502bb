import type { TransactWriteItem } from '@aws-sdk/client-dynamodb'
import * as z from 'zod'
import type { Attachments } from '../../../app/ports/chat.ts'
import { attachment, keptMs, type StoredAttachment } from '../../../domain/chat/attachment.ts'
import type { Message } from '../../../domain/chat/message.ts'
import { conflict, rateLimited } from '../../../domain/errors.ts'
import { idPattern } from '../../../domain/ids.ts'
import { dateOf, dayMs, secondMs } from '../../../domain/time.ts'
import type { Env } from '../../env.ts'
import { changeInput, get, putInput, transact } from '../calls.ts'
import { itemAt } from '../expressions.ts'
import { parse } from '../item.ts'
import { isGone } from './gone.ts'

const stored: z.ZodType<StoredAttachment & { ttl: number }> = attachment.extend({
  sha256: z.string(),
  instanceId: z.string(),
  role: z.enum(['user', 'agent']),
  createdAt: z.string(),
  ttl: z.int(),
})

export function attachments(env: Env): Attachments {
  const table = () => env.table('conversations')
  return {
    async add(userId, { id, ...attachment }, most, nowMs) {
      const ttl = Math.ceil((nowMs + keptMs) / secondMs)
      const count = changeInput({
        ...itemAt<'files' | 'bytes'>(table(), { userId, item: `day#attachments#${dateOf(nowMs)}` }),
        update: 'SET #ttl = :ttl ADD #files :one, #bytes :bytes',
        condition: 'attribute_not_exists(#files) OR (#files < :files AND #bytes <= :room)',
        values: {
          ':ttl': Math.ceil((nowMs + 2 * dayMs) / secondMs),
          ':one': 1,
          ':bytes': attachment.bytes,
          ':files': most.files,
          ':room': most.bytes - attachment.bytes,
        },
      })
      const put = putInput(table(), 'item', { userId, item: id, ...attachment, ttl })
      const { done } = await transact([{ Update: count }, { Put: put }])
      if (done) return
      const seconds = Math.ceil((dayMs - (nowMs % dayMs)) / secondMs)
      const bytes = `${Math.floor(most.bytes / 1e6)} MB`
      throw rateLimited(seconds, `You and your agent can attach ${most.files} files and ${bytes} in a day.`)
    },

    async find(userId, id, nowMs) {
      const item = idPattern('att').test(id) ? await get(table(), { userId, item: id }) : null
      if (!item) return null
      if (await isGone(table(), userId, item.conversation?.S)) return null
      const { ttl, ...found } = parse(stored, { ...item, id: item.item ?? { S: '' } })
      return ttl * secondMs > nowMs ? found : null
    },
  }
}

/**
 * Claims the attachments in the transaction that writes the message, so that no second message can use them. The
 * versions of a message share them.
 */
export const useAttachments = (table: string, userId: string, message: Message): TransactWriteItem[] =>
  (message.attachments ?? []).map(({ id }) => ({
    Update: changeInput({
      ...itemAt<'messageId' | 'conversation'>(table, { userId, item: id }),
      update: 'SET #messageId = :message, #conversation = :conversation',
      condition: 'attribute_exists(#item) AND (attribute_not_exists(#messageId) OR #messageId = :message)',
      values: { ':message': message.replaces ?? message.id, ':conversation': message.conversation },
    }),
  }))

export const usedBefore = () => conflict('An attachment went with another message before. Upload it again.')
