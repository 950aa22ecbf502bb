import { showClock } from '../format.ts'
import { clean } from '../markdown/clean.ts'
import { texts } from '../texts/index.ts'
import { type Question, QuestionArguments } from './open-questions.tsx'

/** A question of the agent that was answered or has expired. */
export const AskedLine = ({ question }: { question: Question }) => (
  <article className="message asked">
    <h2 className="asked-title">{texts.chat.questions.asked}</h2>
    <p className="plain-text" dir="auto">
      {clean(question.text)}
    </p>
    <QuestionArguments question={question} />
    <p className="message-foot">
      <time dateTime={question.answeredAt ?? question.expiresAt}>
        {showClock(question.answeredAt ?? question.expiresAt)}
      </time>
      <bdi>{answerOf(question)}</bdi>
    </p>
  </article>
)

function answerOf({ given }: Question): string {
  const { approved, choice, text } = given ?? {}
  if (approved !== undefined) return approved ? texts.chat.questions.approved : texts.chat.questions.declined
  const answer = choice ?? text
  return answer === undefined ? texts.chat.questions.expired : texts.chat.questions.answered(clean(answer))
}
