import type { GivenAnswer, Question } from '../chat/question.ts'
import { idPattern } from '../ids.ts'
import type { FinalContent } from './delivery.ts'
import { lines } from './lines.ts'

const yesAndNo = ['Yes', 'No'] as const

const optionsOf = ({ answer, choices }: Question): readonly string[] =>
  answer === 'approve' ? yesAndNo : answer === 'choose' ? (choices ?? []) : []

export function questionContent(question: Question, origin: string): FinalContent {
  const { tool, arguments: given, state, given: answer } = question
  const call = tool ? `\n\n\`\`\`\n${tool} ${JSON.stringify(given ?? {}, null, 1)}\n\`\`\`` : ''
  const text = `${question.text}${call}`
  if (state !== 'open') return { text: `${text}\n\n${answer ? lines.answered(labelOf(answer)) : lines.expired}` }
  const options = optionsOf(question)
  if (options.length === 0) return { text: `${text}\n\n${lines.answerThere(origin)}` }
  return { text, buttons: options.map((label, i) => ({ data: `${question.id}:${i}`, label })) }
}

const labelOf = ({ approved, choice, text }: GivenAnswer): string =>
  approved === undefined ? (choice ?? text ?? '') : approved ? yesAndNo[0] : yesAndNo[1]

export function readButton(data: string): { questionId: string; option: number } | null {
  const [questionId = '', option = ''] = data.split(':')
  return idPattern('qst').test(questionId) && /^\d$/.test(option) ? { questionId, option: Number(option) } : null
}

export function answerOf(question: Question, option: number): GivenAnswer | null {
  const chosen = optionsOf(question)[option]
  if (chosen === undefined) return null
  return question.answer === 'approve' ? { approved: option === 0 } : { choice: chosen }
}
