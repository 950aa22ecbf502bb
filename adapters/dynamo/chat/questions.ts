import * as z from 'zod'
import type { Questions } from '../../../app/ports/chat.ts'
import {
  maxQuestionsPerHour,
  type Question,
  question,
  questionAt,
  questionKeptMs,
} from '../../../domain/chat/question.ts'
import { idPattern } from '../../../domain/ids.ts'
import { iso } from '../../../domain/time.ts'
import type { Env } from '../../env.ts'
import { change, get, itemRange, putInput, query } from '../calls.ts'
import { itemAt } from '../expressions.ts'
import { type Item, parse } from '../item.ts'
import { writeOnce } from './write-once.ts'

/** Maximum number of questions in a list. */
const shown = 50

const isQuestionId = (id: string): boolean => idPattern('qst').test(id)

/** Without nulls; arguments stay the JSON text that came, so that numbers keep all digits. */
const stored = question.omit({ arguments: true }).extend({
  arguments: z.string().optional(),
  promptId: question.shape.promptId.default(null),
  argumentsSha256: question.shape.argumentsSha256.default(null),
  given: question.shape.given.default(null),
  answeredAt: question.shape.answeredAt.default(null),
})

function read(item: Item): Question {
  const { arguments: json, ...asked } = parse(stored, { ...item, id: item.item ?? { S: '' } })
  return { ...asked, ...(json !== undefined && { arguments: JSON.parse(json) }) }
}

export function questions(env: Env): Questions {
  const table = () => env.table('conversations')

  const find: Questions['find'] = async (userId, id, nowMs) => {
    const item = isQuestionId(id) ? await get(table(), { userId, item: id }) : null
    return item && questionAt(read(item), nowMs)
  }

  return {
    find,

    async ask(userId, key, { id, ...asked }, nowMs, ...also) {
      const ttl = Math.ceil((nowMs + questionKeptMs) / 1000)
      const json = asked.arguments && JSON.stringify(asked.arguments)
      const written = await writeOnce(
        table(),
        { userId, key, id, what: 'questions', most: maxQuestionsPerHour, nowMs },
        [{ Put: putInput(table(), 'item', { userId, item: id, ...asked, ...(json && { arguments: json }), ttl }) }],
        ...also,
      )
      const stands = written === id ? { id, ...asked } : written && (await find(userId, written, nowMs))
      if (!stands) throw new Error('a key names a question that does not exist')
      return stands
    },

    async list(userId, nowMs) {
      const newest: Question[] = []
      const asked = { ...itemRange(table(), userId, 'qst_', 'qst_~'), ScanIndexForward: false, Limit: shown }
      for await (const item of query(asked)) {
        newest.push(questionAt(read(item), nowMs))
        if (newest.length === shown) break
      }
      return newest.reverse()
    },

    async answer(userId, id, given, nowMs, ...also) {
      if (!isQuestionId(id)) return null
      const at = iso(nowMs)
      const written = await change(
        {
          ...itemAt<keyof typeof stored.shape>(table(), { userId, item: id }),
          update: 'SET #state = :answered, #given = :given, #answeredAt = :at',
          // Timestamps of one format sort as texts.
          condition: '#state = :open AND #expiresAt > :at',
          values: { ':answered': 'answered', ':open': 'open', ':given': given, ':at': at },
        },
        ...also,
      )
      if (written.done) return read(written.item)
      return written.old && questionAt(read(written.old), nowMs)
    },
  }
}
