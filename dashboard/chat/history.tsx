import { type ReactNode, useEffect, useEffectEvent, useState } from 'react'
import { Virtualizer } from 'virtua'
import type { Message } from '../../domain/chat/message.ts'
import { useAccount } from '../account-state.tsx'
import { DownIcon } from '../components/icons.tsx'
import { Notice } from '../components/notice.tsx'
import { useAction } from '../components/use-action.ts'
import { texts } from '../texts/index.ts'
import { AskedLine } from './asked-line.tsx'
import type { Conversation } from './conversation.ts'
import { editElsewhere } from './edit-elsewhere.ts'
import { type Line, linesOf } from './lines.ts'
import type { Editing } from './message-edit.tsx'
import { MessageLine } from './message-line.tsx'
import { OutgoingLine } from './outgoing-line.tsx'
import { useScroll } from './use-scroll.ts'

interface HistoryProps {
  conversation: Conversation
  /** The message of a link or search; null for the end. */
  targetId: string | null
  onShown: () => void
  onGoTo: (messageId: string) => void
  end: ReactNode
}

/** Draws only visible messages, and reads more near the ends. */
export function History({ conversation, targetId, onShown, onGoTo, end }: HistoryProps) {
  const lines = linesOf(conversation)
  const scroll = useScroll(conversation, lines.length)
  const shown = useTarget(conversation, targetId, onShown, scroll)
  const edits = useEdits(conversation)
  const edit = (message: Message) => {
    scroll.unstick()
    edits.begin(message)
  }
  const show = (line: Line) => {
    if (line.is === 'end') return <div key="end">{end}</div>
    if (line.is === 'outgoing')
      return <OutgoingLine key={line.message.key} message={line.message} conversation={conversation} />
    if (line.is === 'asked') return <AskedLine key={line.question.id} question={line.question} />
    const { message } = line
    return (
      <MessageLine
        // All versions of a message are one line, so that its buttons keep their focus.
        key={message.replaces ?? message.id}
        {...line}
        marked={message.id === shown}
        activities={conversation.activities}
        versions={conversation.versions.get(message.id)}
        editing={edits.of(message)}
        mayReplace={conversation.mayReplace(message)}
        onEdit={edit}
        onRetry={conversation.askAgain}
        onGoTo={onGoTo}
        onShow={(id) => {
          scroll.unstick()
          conversation.show(id)
        }}
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
              shift={conversation.prepended}
              data={lines}
              bufferSize={200}
              itemSize={150}
            >
              {show}
            </Virtualizer>
          </div>
        </div>
      </section>
      <News message={scroll.news} />
      {edits.problem && <Notice tone="bad">{edits.problem}</Notice>}
      {!scroll.atEnd && <ToEnd {...scroll} />}
    </div>
  )
}

/** For screen readers. */
const News = ({ message }: { message: Message | undefined }) => (
  <p className="visually-hidden" role="status">
    {message ? texts.chat.agentSays(message.text.slice(0, 600).replace(/[\ud800-\udbff]$/, '')) : ''}
  </p>
)

const ToEnd = ({ unseen, toEnd }: Pick<ReturnType<typeof useScroll>, 'unseen' | 'toEnd'>) => (
  <button type="button" data-reads className={unseen > 0 ? 'to-end news' : 'to-end'} onClick={toEnd}>
    <span className={unseen > 0 ? undefined : 'visually-hidden'}>
      {unseen > 0 ? texts.chat.newMessages(unseen) : texts.chat.toEnd}
    </span>
    <DownIcon />
  </button>
)

/** The text of the message that the user edits stays while the message is out of view. */
function useEdits(conversation: Conversation) {
  const { account } = useAccount()
  const elsewhere = useAction((message: Message) => editElsewhere(account.id, message))
  const [editing, setEditing] = useState<{ id: string; text: string } | null>(null)
  return {
    problem: elsewhere.problem,
    begin(message: Message): void {
      if (conversation.mayReplace(message)) setEditing({ id: message.id, text: message.text })
      else void elsewhere.run(message)
    },
    of(message: Message): Editing | undefined {
      const { id, attachments = [] } = message
      if (editing?.id !== id) return undefined
      return {
        text: editing.text,
        mayBeEmpty: attachments.length > 0,
        onText: (text) => setEditing({ id, text }),
        onCancel: () => setEditing(null),
        onSend: () => {
          setEditing(null)
          conversation.send(editing.text.trim(), attachments, message)
        },
      }
    },
  }
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
