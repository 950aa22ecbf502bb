import { type ReactNode, useEffect, useEffectEvent, useState } from 'react'
import { Virtualizer } from 'virtua'
import type { Message } from '../../domain/chat/message.ts'
import { DownIcon } from '../components/icons.tsx'
import { texts } from '../texts/index.ts'
import type { Conversation } from './conversation.ts'
import { MessageLine } from './message-line.tsx'
import type { Outgoing } from './outbox.ts'
import { OutgoingLine } from './outgoing-line.tsx'
import { useScroll } from './use-scroll.ts'

type Line =
  | { is: 'message'; message: Message; before: Message | undefined }
  | { is: 'outgoing'; message: Outgoing }
  | { is: 'end' }

interface HistoryProps {
  conversation: Conversation
  /** The message of a link or search; null for the end. */
  targetId: string | null
  onShown: () => void
  onEdit: (message: Message) => void
  end: ReactNode
}

/** Draws only visible messages, and reads more near the ends. */
export function History({ conversation, targetId, onShown, onEdit, end }: HistoryProps) {
  const { messages, outgoing, prepended } = conversation
  const lines: Line[] = [
    ...messages.map((message, at): Line => ({ is: 'message', message, before: messages[at - 1] })),
    ...outgoing.map((message): Line => ({ is: 'outgoing', message })),
    { is: 'end' },
  ]
  const scroll = useScroll(conversation, lines.length)
  const shown = useTarget(conversation, targetId, onShown, scroll)
  const show = (line: Line) => {
    if (line.is === 'end') return <div key="end">{end}</div>
    if (line.is === 'outgoing')
      return <OutgoingLine key={line.message.key} message={line.message} conversation={conversation} />
    const { message, before } = line
    return (
      <MessageLine
        key={message.id}
        message={message}
        before={before}
        marked={message.id === shown}
        activities={conversation.activities}
        onEdit={onEdit}
        onRetry={conversation.askAgain}
      />
    )
  }
  return (
    <div className="log-frame">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the log scrolls, so it must take focus to be scrolled by keys */}
      <section className="log-scroll" ref={scroll.frame} tabIndex={0} aria-label={texts.chat.conversation}>
        <div className="log-inner">
          <div className="log" role="log" aria-live="off">
            <Virtualizer
              ref={scroll.list}
              scrollRef={scroll.frame}
              shift={prepended}
              data={lines}
              bufferSize={200}
              itemSize={150}
            >
              {show}
            </Virtualizer>
          </div>
        </div>
      </section>
      <p className="visually-hidden" role="status">
        {scroll.news ? texts.chat.agentSays(scroll.news.text.slice(0, 600).replace(/[\ud800-\udbff]$/, '')) : ''}
      </p>
      {!scroll.atEnd && (
        <button
          type="button"
          data-reads
          className={scroll.unseen > 0 ? 'to-end news' : 'to-end'}
          onClick={scroll.toEnd}
        >
          <span className={scroll.unseen > 0 ? undefined : 'visually-hidden'}>
            {scroll.unseen > 0 ? texts.chat.newMessages(scroll.unseen) : texts.chat.toEnd}
          </span>
          <DownIcon />
        </button>
      )}
    </div>
  )
}

/** Goes to the wanted message, reading it first if necessary. @returns its id once it is in view */
function useTarget(
  conversation: Conversation,
  targetId: string | null,
  onShown: () => void,
  { list, unstick }: Pick<ReturnType<typeof useScroll>, 'list' | 'unstick'>,
): string | null {
  const [shown, setShown] = useState<string | null>(null)
  const { messages, goTo } = conversation
  const at = targetId === null ? -1 : messages.findIndex(({ id }) => id === targetId)
  const show = useEffectEvent(() => {
    if (targetId === null) return
    if (at < 0) return goTo(targetId)
    unstick()
    list.current?.scrollToIndex(at, { align: 'center' })
    setShown(targetId)
    onShown()
  })
  const isHere = at >= 0
  useEffect(() => {
    if (targetId !== null || isHere) show()
  }, [targetId, isHere])
  return shown
}
