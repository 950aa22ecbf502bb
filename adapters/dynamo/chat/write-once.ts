import type { TransactWriteItem } from '@aws-sdk/client-dynamodb'
import * as z from 'zod'
import { hourOf, saidKeyMs } from '../../../domain/chat/question.ts'
import { rateLimited } from '../../../domain/errors.ts'
import { hourMs } from '../../../domain/time.ts'
import { changeInput, putInput, transact } from '../calls.ts'
import { parse } from '../item.ts'

interface Said {
  userId: string
  /** The agent's own name of it. */
  key: string
  /** The id of the record. */
  id: string
  /** The counter's name. */
  what: 'messages' | 'questions' | 'schedules'
  /** The maximum number within an hour. */
  most: number
  nowMs: number
}

const writtenBefore = z.object({ writtenId: z.string() })

/**
 * Writes what an agent says, asks or does of itself, once under its key. Answers the id of what stands under that key:
 * this one's, or the first one's; null when a condition of the records themselves does not hold. @throws rate-limited
 * beyond so many an hour
 */
export async function writeOnce(table: string, said: Said, records: TransactWriteItem[]): Promise<string | null> {
  const { userId, key, id, what, most, nowMs } = said
  const first = putInput(table, 'item', {
    userId,
    item: `once#${what}#${key}`,
    writtenId: id,
    ttl: Math.ceil((nowMs + saidKeyMs) / 1000),
  })
  const hour = hourOf(nowMs)
  const count = changeInput({
    table,
    key: { userId, item: `hour#${what}#${hour}` },
    update: 'SET #ttl = :ttl ADD #count :one',
    condition: 'attribute_not_exists(#count) OR #count < :most',
    values: { ':ttl': Math.ceil(((hour + 2) * hourMs) / 1000), ':one': 1, ':most': most },
  })
  const written = await transact([{ Put: first }, { Update: count }, ...records])
  if (written.done) return id
  const [known, counted] = written.refused
  if (known) return parse(writtenBefore, known).writtenId
  if (counted === undefined) return null
  const nextHourSeconds = Math.ceil(((hour + 1) * hourMs - nowMs) / 1000)
  throw rateLimited(nextHourSeconds, `An agent may send ${most} ${what} of its own within an hour.`)
}
