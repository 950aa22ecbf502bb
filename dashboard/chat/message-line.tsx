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
import { ReplyDetails } from './reply-details.tsx'
import { ReplyRemedies } from './reply-remedies.tsx'

interface MessageLineProps {
  message: Message
  before: Message | undefined
  /** The target of a link or search. */
  marked: boolean
  activities: Readonly<Record<string, Activity[]>>
  onEdit: (message: Message) => void
  /** Sends the message with this id again. */
  onRetry: (messageId: string) => void
}

/** A message that cannot be drawn is shown as plain text. */
export const MessageLine = memo(({ message, before, marked, activities, onEdit, onRetry }: MessageLineProps) => {
  const newDay = !before || showDay(before.at) !== showDay(message.at)
  const mine = message.role === 'user'
  const look = `message${mine ? ' own' : ''}${marked ? ' marked' : ''}`
  return (
    <>
      {newDay && <p className="day">{showDay(message.at)}</p>}
      <article className={look}>
        <h2 className="visually-hidden">{mine ? texts.chat.youSaid : texts.chat.agentSaid}</h2>
        <Boundary fallback={<p className="plain-text">{message.text}</p>}>
          <Attachments all={message.attachments ?? []} />
          {message.text !== '' && (
            <div className="message-text">
              {mine ? <OwnText text={message.text} /> : <Markdown text={message.text} />}
            </div>
          )}
        </Boundary>
        <ReplyRemedies reply={message} onRetry={onRetry} />
        <div className="message-foot">
          <time dateTime={message.at}>{showClock(message.at)}</time>
          {message.channel !== 'web' && (
            <span className="message-channel">
              <PlatformIcon platform={message.channel} /> {texts.chat.via(platformLabel(message.channel))}
            </span>
          )}
          <Acts message={message} onEdit={onEdit} />
          {message.inReplyTo && (
            <ReplyDetails messageId={message.inReplyTo} done={activities[promptIdOf(message.inReplyTo)] ?? []} />
          )}
        </div>
      </article>
    </>
  )
})

export const OwnText = ({ text }: { text: string }) => (
  <p className="plain-text" dir="auto">
    {clean(text)}
  </p>
)

function Acts({ message, onEdit }: Pick<MessageLineProps, 'message' | 'onEdit'>) {
  const { text, role } = message
  return (
    <>
      {text !== '' && <CopyButton text={text} />}
      {role === 'user' && (
        <button type="button" className="link-button" onClick={() => onEdit(message)}>
          {texts.chat.edit}
        </button>
      )}
    </>
  )
}
