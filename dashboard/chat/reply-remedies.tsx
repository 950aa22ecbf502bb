import type { Message } from '../../domain/chat/message.ts'
import { mayRetry, remedyFor, remedyPages } from '../../domain/chat/remedy.ts'
import { Button } from '../components/button.tsx'
import { Link } from '../router.tsx'
import { texts } from '../texts/index.ts'

interface Props {
  reply: Message
  /** Sends the message with this id again. */
  onRetry: (messageId: string) => void
}

/** Next steps below a reply that tells of a failure. */
export function ReplyRemedies({ reply, onRetry }: Props) {
  const { refusal, inReplyTo } = reply
  const remedy = remedyFor(refusal)
  if (!remedy && !mayRetry(reply)) return null
  return (
    <div className="buttons reply-remedies">
      {remedy && (
        <Link to={remedyPages[remedy]} className="button plain">
          {texts.chat.remedies[remedy]}
        </Link>
      )}
      {inReplyTo !== undefined && mayRetry(reply) && (
        <Button onClick={() => onRetry(inReplyTo)}>{texts.chat.retry}</Button>
      )}
    </div>
  )
}
