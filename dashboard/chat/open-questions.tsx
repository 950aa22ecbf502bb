import { useEffect, useId, useState } from 'react'
import type { GivenAnswer } from '../../domain/chat/question.ts'
import { Button } from '../components/button.tsx'
import { Form } from '../components/form.tsx'
import { Notice } from '../components/notice.tsx'
import { useAction } from '../components/use-action.ts'
import { berth } from '../data/client.ts'
import { showClock } from '../format.ts'
import { clean } from '../markdown/clean.ts'
import { texts } from '../texts/index.ts'

export type Question = Awaited<ReturnType<typeof berth.listQuestions>>['questions'][number]

export function OpenQuestions({ questions, reload }: { questions: Question[]; reload: () => void }) {
  const open = questions.filter(({ expiresAt }) => Date.parse(expiresAt) > Date.now())
  const next = Math.min(...open.map(({ expiresAt }) => Date.parse(expiresAt)))
  useEffect(() => {
    if (!Number.isFinite(next)) return
    const timer = setTimeout(reload, Math.max(next - Date.now(), 0) + 500)
    return () => clearTimeout(timer)
  }, [next, reload])
  if (open.length === 0) return null
  return (
    <div className="questions">
      {open.map((question) => (
        <QuestionCard key={question.id} question={question} answered={reload} />
      ))}
    </div>
  )
}

function QuestionCard({ question, answered }: { question: Question; answered: () => void }) {
  const { id, text, expiresAt } = question
  const title = useId()
  const answer = useAction(async (given: GivenAnswer) => {
    await berth.answerQuestion({ id, answer: given })
    answered()
  })
  return (
    <section className="question" aria-labelledby={title}>
      <h2 id={title}>{texts.chat.questions.title}</h2>
      <p className="plain-text">{clean(text)}</p>
      <QuestionArguments question={question} />
      <Answers question={question} busy={answer.busy} give={(given) => void answer.run(given)} />
      {answer.problem && <Notice tone="bad">{answer.problem}</Notice>}
      <p className="muted">{texts.chat.questions.until(showClock(expiresAt))}</p>
    </section>
  )
}

export const QuestionArguments = ({ question }: { question: Question }) =>
  question.arguments && (
    <details>
      <summary>{question.tool ? texts.chat.questions.calledWith(question.tool) : texts.chat.questions.exactly}</summary>
      <pre>{clean(JSON.stringify(question.arguments, null, 2))}</pre>
    </details>
  )

interface AnswersProps {
  question: Question
  busy: boolean
  give: (answer: GivenAnswer) => void
}

function Answers({ question: { answer, choices = [] }, busy, give }: AnswersProps) {
  const [text, setText] = useState('')
  const field = useId()
  if (answer === 'text') {
    return (
      <Form className="question-answers" onSubmit={() => text.trim() !== '' && give({ text: text.trim() })}>
        <label htmlFor={field} className="visually-hidden">
          {texts.chat.questions.yours}
        </label>
        <input id={field} value={text} maxLength={2_000} onChange={(event) => setText(event.target.value)} />
        <Button submit variant="primary" busy={busy}>
          {texts.chat.questions.answer}
        </Button>
      </Form>
    )
  }
  const offered: [label: string, value: GivenAnswer][] =
    answer === 'approve'
      ? [
          [texts.chat.questions.approve, { approved: true }],
          [texts.chat.questions.decline, { approved: false }],
        ]
      : choices.map((choice) => [choice, { choice }])
  return (
    <div className="question-answers">
      {offered.map(([label, value], index) => (
        <Button
          key={label}
          variant={index === 0 && answer === 'approve' ? 'primary' : 'plain'}
          busy={busy}
          onClick={() => give(value)}
        >
          {label}
        </Button>
      ))}
    </div>
  )
}
