import { Link } from '../router.tsx'
import { texts } from '../texts/index.ts'
import { Attachments } from './attachments.tsx'
import type { Conversation } from './conversation.ts'
import { OwnText } from './message-line.tsx'
import type { Outgoing } from './outbox.ts'

export const OutgoingLine = ({ message, conversation }: { message: Outgoing; conversation: Conversation }) => (
  <article className="message own">
    <h2 className="visually-hidden">{texts.chat.youSaid}</h2>
    <Attachments all={message.attachments} />
    {message.text !== '' && (
      <div className="message-text">
        <OwnText text={message.text} />
      </div>
    )}
    {message.problem === null ? (
      <p className="message-foot" role="status">
        {conversation.isWaiting ? texts.chat.kept : texts.chat.sending}
      </p>
    ) : (
      <div className="message-problem" role="alert">
        <span>{texts.chat.notSent(message.problem)}</span>
        <button type="button" className="link-button" onClick={() => conversation.retry(message)}>
          {texts.chat.sendAgain}
        </button>
        <button type="button" className="link-button" onClick={() => conversation.drop(message.key)}>
          {texts.chat.discard}
        </button>
        <Link to="/instance">{texts.chat.seeInstance}</Link>
      </div>
    )}
  </article>
)
