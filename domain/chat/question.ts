import * as z from 'zod'
import { idPattern } from '../ids.ts'
import { jsonShown, text } from '../text-schema.ts'
import { dayMs, hourMs, minuteMs, secondMs } from '../time.ts'
import { timestamp } from '../timestamp.ts'
import { messageText } from './message.ts'

export const maxUnaskedPerHour = 20
export const maxQuestionsPerHour = 60

/** Waiting times of a question, seconds: least, default and most; and how long a question is kept, ms. */
export const questionSeconds = { least: 30, usual: (10 * minuteMs) / secondMs, most: dayMs / secondMs } as const
export const questionKeptMs = 7 * dayMs

/** Lifetime of a runtime's idempotency key for messages and questions, ms. */
export const saidKeyMs = dayMs

export const questionId = z.string().regex(idPattern('qst'), 'Expected a question id, qst_…')

/** Bytes of a question's arguments as JSON. */
export const maxArgumentBytes = 4_096

const choice = text().trim().min(1).max(100)

export const newQuestion = z.object({
  text: text().trim().min(1).max(2_000).meta({ example: 'May I send this mail?' }),
  answer: z
    .enum(['approve', 'choose', 'text'])
    .meta({ description: 'The kind of answer: yes or no, one of `choices`, or a text.' }),
  choices: z
    .array(choice)
    .min(2)
    .max(10)
    .optional()
    .meta({ example: ['Today', 'Tomorrow'] }),
  tool: text().min(1).max(64).optional().meta({ example: 'send_mail', description: 'The tool that would be called.' }),
  arguments: jsonShown()
    .optional()
    .meta({
      example: { to: 'ada@example.org' },
      description: 'Its arguments: the answer is valid for exactly these.',
    }),
})
export type NewQuestion = z.infer<typeof newQuestion>

export const givenAnswer = z
  .strictObject({
    approved: z.boolean().optional(),
    choice: choice.optional().meta({ example: 'Tomorrow' }),
    text: messageText.optional().meta({ example: 'Send it to Ada.' }),
  })
  .refine((given) => Object.keys(given).length === 1, 'Send one of approved, choice and text.')
  .meta({ id: 'GivenAnswer', example: { approved: true } })
export type GivenAnswer = z.infer<typeof givenAnswer>

/** A question is answered once, before `expiresAt`. */
export const question = newQuestion
  .extend({
    id: z.string().meta({ example: 'qst_01KAHB2N3P4Q5R6S7T8V9WXYZ0' }),
    promptId: z.string().nullable(),
    conversation: z.string().optional().meta({ description: 'The conversation of its prompt; `main` without one.' }),
    argumentsSha256: z.string().nullable().meta({
      example: '8affdc62e4a7acd33e5881aedf787c3708cb4ce606fd098f2c5be628245a45c1',
      description: 'SHA-256 of `arguments` as JSON with sorted keys, in hex: an approval is valid for exactly these.',
    }),
    askedAt: timestamp,
    expiresAt: timestamp,
    state: z.enum(['open', 'answered', 'expired']),
    given: givenAnswer.nullable(),
    answeredAt: timestamp.nullable(),
  })
  .meta({ id: 'Question' })
export type Question = z.infer<typeof question>

/** A stored question stays `open` until it is answered; expiry is computed here. */
export const questionAt = (stored: Question, nowMs: number): Question =>
  stored.state === 'open' && Date.parse(stored.expiresAt) <= nowMs ? { ...stored, state: 'expired' } : stored

export function answers({ answer, choices }: Question, answered: GivenAnswer): boolean {
  if (answer === 'approve') return answered.approved !== undefined
  if (answer === 'choose') return answered.choice !== undefined && (choices ?? []).includes(answered.choice)
  return answered.text !== undefined
}

/** JSON with sorted keys, so that equal arguments are equal texts. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${canonicalJson(field)}`).join(',')}}`
}

export const hourOf = (nowMs: number): number => Math.floor(nowMs / hourMs)
