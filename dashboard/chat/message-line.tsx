import { memo } from 'react'
import type { Activity } from '../../domain/agent/activity.ts'
import type { Message } from '../../domain/chat/message.ts'
import { promptIdOf } from '../../domain/chat/names.ts'
import { Boundary } from '../components/boundary.tsx'
import { CopyButton } from '../components/copy-button.tsx'
import { PlatformIcon } from '../components/icons.tsx'
import { Markdown } from '../components/markdown.tsx'
import { showClock, showDay } from '../format.ts'
import { platformLabel } from '../labels.ts'
import { clean } from '../markdown/clean.ts'
import { texts } from '../texts/index.ts'
import { Attachments } from './attachments.tsx'
import type { Line } from './lines.ts'
import { type Editing, MessageEdit } from './message-edit.tsx'
import { ReplyDetails } from './reply-details.tsx'
import { ReplyRemedies } from './reply-remedies.tsx'
import { VersionPager } from './version-pager.tsx'

interface MessageLineProps extends Omit<Extract<Line, { is: 'message' }>, 'is'> {
  /** The target of a link or search. */
  marked: boolean
  activities: Readonly<Record<string, Activity[]>>
  /** The versions of the message, if there are several. */
  versions: readonly string[] | undefined
  /** Set while the user edits the message. */
  editing: Editing | undefined
  /** Whether the message can get a new version. */
  mayReplace: boolean
  onEdit: (message: Message) => void
  /** Asks for another reply to the user's message with this id. */
  onRetry: (messageId: string) => void
  onGoTo: (messageId: string) => void
  /** Shows another version of the message. */
  onShow: (messageId: string) => void
}

/** A message that cannot be drawn is shown as plain text. */
export const MessageLine = (props: MessageLineProps) => {
  const { message, before, marked, editing, question, onGoTo, onRetry } = props
  const newDay = !before || showDay(before.at) !== showDay(message.at)
  const mine = message.role === 'user'
  const look = `message${mine ? ' own' : ''}${marked ? ' marked' : ''}`
  return (
    <>
      {newDay && <p className="day">{showDay(message.at)}</p>}
      <article className={look}>
        <h2 className="visually-hidden">{mine ? texts.chat.youSaid : texts.chat.agentSaid}</h2>
        {question && <Quote question={question} onGoTo={onGoTo} />}
        <Boundary fallback={<p className="plain-text">{message.text}</p>}>
          <Attachments all={message.attachments ?? []} />
          {editing ? <MessageEdit {...editing} /> : <Words message={message} />}
        </Boundary>
        <ReplyRemedies reply={message} onRetry={onRetry} />
        {!editing && <Foot {...props} />}
      </article>
    </>
  )
}

const Words = memo(
  ({ message: { role, text } }: { message: Message }) =>
    text !== '' && (
      <div className="message-text">{role === 'user' ? <OwnText text={text} /> : <Markdown text={text} />}</div>
    ),
)

const quoted = 90

const Quote = ({ question: { id, text, attachments = [] }, onGoTo }: { question: Message } & Acting) => (
  <p className="message-quote">
    {texts.chat.inReplyTo}{' '}
    <button type="button" className="link-button" data-reads onClick={() => onGoTo(id)}>
      <bdi>{beginningOf(clean(text) || (attachments[0]?.name ?? ''))}</bdi>
    </button>
  </p>
)

type Acting = Pick<MessageLineProps, 'onGoTo'>

function beginningOf(text: string): string {
  const line = text.trim().replaceAll(/\s+/g, ' ')
  const characters = [...line]
  return characters.length <= quoted ? line : `${characters.slice(0, quoted).join('')}…`
}

function Foot({ message, outcome, versions, activities, onShow, ...acts }: MessageLineProps) {
  const questionId = message.inReplyTo ?? (outcome && message.id)
  return (
    <div className="message-foot">
      <time dateTime={message.at}>{showClock(message.at)}</time>
      {message.channel !== 'web' && (
        <span className="message-channel">
          <PlatformIcon platform={message.channel} /> {texts.chat.via(platformLabel(message.channel))}
        </span>
      )}
      {message.inReplyTo && message.outcome === 'stopped' && (
        <span className="message-stopped">{texts.chat.stoppedReply}</span>
      )}
      {outcome && (
        <span className="message-stopped">{outcome === 'stopped' ? texts.chat.stopped : texts.chat.unanswered}</span>
      )}
      {versions && <VersionPager versions={versions} id={message.id} onShow={onShow} />}
      <Acts message={message} outcome={outcome} {...acts} />
      {questionId && <ReplyDetails messageId={questionId} done={activities[promptIdOf(questionId)] ?? []} />}
    </div>
  )
}

export const OwnText = ({ text }: { text: string }) => (
  <p className="plain-text" dir="auto">
    {clean(text)}
  </p>
)

function Acts({
  message,
  outcome,
  mayReplace,
  onEdit,
  onRetry,
}: Pick<MessageLineProps, 'message' | 'outcome' | 'mayReplace' | 'onEdit' | 'onRetry'>) {
  const { id, text, role, inReplyTo } = message
  return (
    <>
      {text !== '' && <CopyButton text={text} />}
      {role === 'user' && (
        <button type="button" className="link-button" onClick={() => onEdit(message)}>
          {mayReplace ? texts.chat.edit : texts.chat.editElsewhere}
        </button>
      )}
      {inReplyTo && (
        <button type="button" className="link-button" onClick={() => onRetry(inReplyTo)}>
          {texts.chat.regenerate}
        </button>
      )}
      {outcome && (
        <button type="button" className="link-button" onClick={() => onRetry(id)}>
          {texts.chat.askAgain}
        </button>
      )}
    </>
  )
}
