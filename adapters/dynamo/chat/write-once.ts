import type { TransactWriteItem } from '@aws-sdk/client-dynamodb'
import * as z from 'zod'
import type { Part } from '../../../app/ports/part.ts'
import { hourOf, saidKeyMs } from '../../../domain/chat/question.ts'
import { rateLimited } from '../../../domain/errors.ts'
import { hourMs } from '../../../domain/time.ts'
import { countInput, putInput, transact } from '../calls.ts'
import { parse } from '../item.ts'

interface Said {
  userId: string
  /** The agent's own key for it. */
  key: string
  id: string
  what: 'messages' | 'questions' | 'schedules'
  /** Maximum per hour. */
  most: number
  nowMs: number
}

const writtenBefore = z.object({ writtenId: z.string() })

/**
 * Writes what an agent does by itself, once per key. Returns the id that is stored under the key: the new one, or that
 * of an earlier call. Null if a condition of `records` failed. @throws rate-limited
 */
export async function writeOnce(
  table: string,
  said: Said,
  records: TransactWriteItem[],
  ...also: Part[]
): Promise<string | null> {
  const { userId, key, id, what, most, nowMs } = said
  const first = putInput(table, 'item', {
    userId,
    item: `once#${what}#${key}`,
    writtenId: id,
    ttl: Math.ceil((nowMs + saidKeyMs) / 1000),
  })
  const hour = hourOf(nowMs)
  const ttl = Math.ceil(((hour + 2) * hourMs) / 1000)
  const count = countInput(table, { userId, item: `hour#${what}#${hour}` }, 1, most, ttl)
  const written = await transact([{ Put: first }, { Update: count }, ...records], ...also)
  if (written.done) return id
  const [known, counted] = written.refused
  if (known) return parse(writtenBefore, known).writtenId
  if (counted === undefined) return null
  const nextHourSeconds = Math.ceil(((hour + 1) * hourMs - nowMs) / 1000)
  throw rateLimited(nextHourSeconds, `An agent may send ${most} ${what} of its own within an hour.`)
}
