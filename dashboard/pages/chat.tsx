import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { Message } from '../../domain/chat/message.ts'
import { mainConversation } from '../../domain/chat/names.ts'
import type { Wallet } from '../../domain/wallet/wallet.ts'
import { useAccount } from '../account-state.tsx'
import { Attachments } from '../chat/attachments.tsx'
import { Composer } from '../chat/composer.tsx'
import { type Conversation, type Outgoing, waitingSince } from '../chat/conversation.ts'
import { ConversationMenu } from '../chat/conversation-menu.tsx'
import { FirstSteps } from '../chat/first-steps.tsx'
import { OpenQuestions } from '../chat/open-questions.tsx'
import { PendingReply } from '../chat/pending-reply.tsx'
import { ReplyDetails } from '../chat/reply-details.tsx'
import { Boundary } from '../components/boundary.tsx'
import { DownIcon, PlatformIcon } from '../components/icons.tsx'
import { Markdown } from '../components/markdown.tsx'
import { Loading, Notice } from '../components/notice.tsx'
import { showClock, showDay } from '../format.ts'
import { platformLabel } from '../labels.ts'
import { Link } from '../router.tsx'

export function ChatPage({ conversation }: { conversation: Conversation }) {
  const { messages, outgoing, loaded, problem, read } = conversation
  const { status } = useAccount()
  const { log, atEnd, toEnd } = useEndOfLog(loaded && status !== null, messages.length + outgoing.length)
  const since = waitingSince(conversation)
  const quiet = messages.length === 0 && outgoing.length === 0

  if (!loaded || !status) return <Loading problem={problem} retry={read} />
  return (
    <>
      <h1 className="visually-hidden">Chat</h1>
      <ConversationMenu open={conversation.id} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the log scrolls, so it must take focus to be scrolled by keys */}
      <section className="log-scroll" ref={log} tabIndex={0} aria-label="Conversation">
        <div className="log-inner">
          {quiet && (conversation.id === mainConversation ? <FirstSteps status={status} /> : <NewConversation />)}
          <div className="log" role="log" aria-live="polite" aria-relevant="additions">
            {messages.map((message, index) => (
              <Boundary key={message.id} fallback={<p className="muted">A message could not be shown.</p>}>
                <MessageLine message={message} before={messages[index - 1]} />
              </Boundary>
            ))}
            {outgoing.map((message) => (
              <OutgoingMessage key={message.key} message={message} conversation={conversation} />
            ))}
          </div>
          {since && (
            <PendingReply
              since={since}
              conversation={conversation}
              instance={status.instance}
              unpaid={isUnpaid(status.wallet)}
            />
          )}
        </div>
      </section>
      {!atEnd && (
        <button type="button" className="to-end" onClick={toEnd} aria-label="Go to the newest message">
          <DownIcon />
        </button>
      )}
      <div className="composer-dock">
        <OpenQuestions questions={conversation.questions} reload={read} />
        {!quiet && <Warnings />}
        <Composer
          key={conversation.id}
          conversation={conversation.id}
          onSend={(text, attachments) => {
            conversation.send(text, attachments)
            toEnd()
          }}
        />
      </div>
    </>
  )
}

function NewConversation() {
  return (
    <div className="first-steps">
      <h2>A conversation of its own</h2>
      <p className="muted">
        Your agent brings its notes and files along, and nothing of what was said in other conversations.
      </p>
    </div>
  )
}

/** Keeps the newest line in view unless the reader has scrolled away from it. */
function useEndOfLog(ready: boolean, lines: number) {
  const log = useRef<HTMLElement>(null)
  const [atEnd, setAtEnd] = useState(true)
  const sticky = useRef(true)

  const toEnd = () => {
    sticky.current = true
    log.current?.scrollTo({ top: log.current.scrollHeight })
  }
  useLayoutEffect(() => {
    if (ready && lines > 0 && sticky.current) log.current?.scrollTo({ top: log.current.scrollHeight })
  }, [ready, lines])
  useEffect(() => {
    const frame = log.current
    if (!frame) return
    const watch = () => {
      sticky.current = frame.scrollHeight - frame.scrollTop - frame.clientHeight < 60
      setAtEnd(sticky.current)
    }
    const follow = () => (sticky.current && frame.querySelector('.message') ? toEnd() : watch())
    frame.addEventListener('scroll', watch, { passive: true })
    const sizes = new ResizeObserver(follow)
    sizes.observe(frame)
    if (frame.firstElementChild) sizes.observe(frame.firstElementChild)
    return () => {
      frame.removeEventListener('scroll', watch)
      sizes.disconnect()
    }
  }, [ready])
  return { log, atEnd, toEnd }
}

function MessageLine({ message, before }: { message: Message; before: Message | undefined }) {
  const newDay = !before || showDay(before.at) !== showDay(message.at)
  const mine = message.role === 'user'
  return (
    <>
      {newDay && <p className="day">{showDay(message.at)}</p>}
      <article className={mine ? 'message own' : 'message'}>
        <h2 className="visually-hidden">{mine ? 'You said' : 'Agent said'}</h2>
        <Attachments all={message.attachments ?? []} />
        {message.text !== '' && (
          <div className="message-text">
            {mine ? <p className="plain-text">{message.text}</p> : <Markdown text={message.text} />}
          </div>
        )}
        <p className="message-foot">
          <time dateTime={message.at}>{showClock(message.at)}</time>
          {message.channel !== 'web' && (
            <span className="message-channel">
              <PlatformIcon platform={message.channel} /> via {platformLabel(message.channel)}
            </span>
          )}
          {message.inReplyTo && <ReplyDetails messageId={message.inReplyTo} />}
        </p>
      </article>
    </>
  )
}

function OutgoingMessage({ message, conversation }: { message: Outgoing; conversation: Conversation }) {
  return (
    <article className="message own">
      <h2 className="visually-hidden">You said</h2>
      <Attachments all={message.attachments} />
      {message.text !== '' && (
        <div className="message-text">
          <p className="plain-text">{message.text}</p>
        </div>
      )}
      {message.problem === null ? (
        <p className="message-foot">Sending…</p>
      ) : (
        <div className="message-problem" role="alert">
          <span>Not sent. {message.problem}</span>
          <button type="button" className="link-button" onClick={() => conversation.retry(message)}>
            Send again
          </button>
          <button type="button" className="link-button" onClick={() => conversation.drop(message.key)}>
            Discard
          </button>
        </div>
      )}
    </article>
  )
}

const isUnpaid = ({ owedMicros, balanceMicros, heldMicros }: Wallet): boolean =>
  owedMicros > 0 || (balanceMicros === 0 && heldMicros === 0)

function Warnings() {
  const { status } = useAccount()
  if (!status) return null
  const { wallet, instance } = status
  if (instance?.state === 'failed') {
    return (
      <Notice tone="bad">
        Your agent’s machine has failed. <Link to="/instance">See why and start it again</Link>
      </Notice>
    )
  }
  if (isUnpaid(wallet)) {
    return (
      <Notice tone="bad">
        Your wallet is empty, so the agent cannot answer. <Link to="/wallet">Top up</Link>
      </Notice>
    )
  }
  if (wallet.low) {
    return (
      <Notice tone="info">
        Less than $1 is left in your wallet. <Link to="/wallet">Top up</Link>
      </Notice>
    )
  }
  return null
}
