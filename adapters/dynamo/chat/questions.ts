import * as z from 'zod'
import type { Questions } from '../../../app/ports/chat.ts'
import { mainConversation } from '../../../domain/chat/names.ts'
import {
  maxQuestionsPerHour,
  type Question,
  question,
  questionAt,
  questionKeptMs,
} from '../../../domain/chat/question.ts'
import { notFound } from '../../../domain/errors.ts'
import { idPattern } from '../../../domain/ids.ts'
import { iso } from '../../../domain/time.ts'
import type { Env } from '../../env.ts'
import { change, checkInput, get, itemRange, putInput, query } from '../calls.ts'
import { itemAt } from '../expressions.ts'
import { type Item, parse, toItem } from '../item.ts'
import { partOf } from '../part.ts'
import { isGone, withoutGone } from './gone.ts'
import { writeOnce } from './write-once.ts'

/** Maximum number of questions in a list, and of a page of a conversation. */
const shown = 50
const shownAsked = 200

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

const record = ({ id: _, arguments: json, ...asked }: Question) => ({
  ...asked,
  ...(json && { arguments: JSON.stringify(json) }),
})

/** Stays in the conversation when the question itself is gone: machines that look for work read all open questions. */
const askedItem = (userId: string, question: Question) => ({
  userId,
  item: `${askedIn(question.conversation)}${question.id}`,
  ...record(question),
})

/** A deleted conversation refuses the question. */
const requireRecord = (table: string, userId: string, conversation = mainConversation) =>
  conversation === mainConversation
    ? []
    : [
        {
          ConditionCheck: checkInput({
            ...itemAt(table, { userId, item: conversation }),
            condition: 'attribute_exists(#item)',
          }),
        },
      ]

const askedIn = (conversation = mainConversation): string => `asked#${conversation}#`

export function questions(env: Env): Questions {
  const table = () => env.table('conversations')

  const find: Questions['find'] = async (userId, id, nowMs) => {
    const item = isQuestionId(id) ? await get(table(), { userId, item: id }) : null
    if (!item) return null
    const question = read(item)
    return (await isGone(table(), userId, question.conversation)) ? null : questionAt(question, nowMs)
  }

  return {
    find,

    async ask(userId, key, question, nowMs, ...also) {
      const { id } = question
      const ttl = Math.ceil((nowMs + questionKeptMs) / 1000)
      const written = await writeOnce(
        table(),
        { userId, key, id, what: 'questions', most: maxQuestionsPerHour, nowMs },
        [
          { Put: putInput(table(), 'item', { userId, item: id, ...record(question), ttl }) },
          { Put: putInput(table(), 'item', askedItem(userId, question)) },
          ...requireRecord(table(), userId, question.conversation),
        ],
        ...also,
      )
      const stands = written === id ? question : written && (await find(userId, written, nowMs))
      if (!stands) throw notFound('conversation')
      return stands
    },

    async between(userId, { conversation, from, to }, nowMs) {
      const prefix = askedIn(conversation)
      const range = itemRange(table(), userId, `${prefix}qst_${from}`, `${prefix}qst_${to}`)
      const found: Question[] = []
      for await (const item of query({ ...range, Limit: shownAsked })) {
        found.push(questionAt(read({ ...item, item: { S: item.item?.S?.slice(prefix.length) ?? '' } }), nowMs))
        if (found.length === shownAsked) break
      }
      return found
    },

    async list(userId, nowMs) {
      const newest: Question[] = []
      const asked = { ...itemRange(table(), userId, 'qst_', 'qst_~'), ScanIndexForward: false, Limit: shown }
      for await (const item of query(asked)) {
        newest.push(questionAt(read(item), nowMs))
        if (newest.length === shown) break
      }
      return withoutGone(table(), userId, newest.reverse())
    },

    async answer(userId, id, given, nowMs, ...also) {
      const asked = await find(userId, id, nowMs)
      if (!asked) return null
      const at = iso(nowMs)
      const answered: Question = { ...asked, state: 'answered', given, answeredAt: at }
      const written = await change(
        {
          ...itemAt<keyof typeof stored.shape>(table(), { userId, item: id }),
          update: 'SET #state = :answered, #given = :given, #answeredAt = :at',
          // Timestamps of one format sort as texts.
          condition: '#state = :open AND #expiresAt > :at',
          values: { ':answered': 'answered', ':open': 'open', ':given': given, ':at': at },
        },
        partOf([{ Put: { TableName: table(), Item: toItem(askedItem(userId, answered)) } }]),
        ...also,
      )
      if (written.done) return read(written.item)
      return written.old && questionAt(read(written.old), nowMs)
    },
  }
}
