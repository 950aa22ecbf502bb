import { type ReactNode, useEffect, useEffectEvent, useLayoutEffect, useRef, useState } from 'react'
import { Virtualizer, type VirtualizerHandle } from 'virtua'
import type { Message } from '../../domain/chat/message.ts'
import { DownIcon } from '../components/icons.tsx'
import { texts } from '../texts/index.ts'
import type { Conversation } from './conversation.ts'
import { MessageLine } from './message-line.tsx'
import type { Outgoing } from './outbox.ts'
import { OutgoingLine } from './outgoing-line.tsx'

type Line =
  | { is: 'message'; message: Message; before: Message | undefined }
  | { is: 'outgoing'; message: Outgoing }
  | { is: 'end' }

/** Lines from an end at which the next page is read. */
const nearby = 8

/** Within so many pixels a reader is at the end. */
const endPixels = 60
/** Input by which a reader scrolls. */
const readerMoves = ['wheel', 'touchmove', 'keydown', 'pointerdown'] as const
const upKeys = ['ArrowUp', 'PageUp', 'Home']
/** A smooth scroll goes on for as long after its input, ms. */
const movingMs = 500

interface HistoryProps {
  conversation: Conversation
  /** The message of a link or search; null for the end. */
  wanted: string | null
  onShown: () => void
  onEdit: (message: Message) => void
  end: ReactNode
}

/** Draws only visible messages, and reads more near the ends. */
export function History({ conversation, wanted, onShown, onEdit, end }: HistoryProps) {
  const { messages, outgoing, prepended } = conversation
  const lines: Line[] = [
    ...messages.map((message, at): Line => ({ is: 'message', message, before: messages[at - 1] })),
    ...outgoing.map((message): Line => ({ is: 'outgoing', message })),
    { is: 'end' },
  ]
  const scroll = useScroll(conversation, lines.length)
  const shown = useWanted(conversation, wanted, onShown, scroll)
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

type Place = Pick<HTMLElement, 'scrollTop' | 'scrollHeight' | 'clientHeight'>
const placeOf = ({ scrollTop, scrollHeight, clientHeight }: HTMLElement): Place => ({
  scrollTop,
  scrollHeight,
  clientHeight,
})
const isResized = (before: Place, now: Place): boolean =>
  before.scrollHeight !== now.scrollHeight || before.clientHeight !== now.clientHeight

const asksUp = (event: Event): boolean =>
  (event instanceof WheelEvent && event.deltaY < 0) ||
  (event instanceof KeyboardEvent && event.target === event.currentTarget && upKeys.includes(event.key))

/**
 * Returns whether the reader scrolled up. Lines get their true heights when drawn, which also moves the log, but by no
 * more than what it lost in height.
 */
const movedUp = (before: Place, now: Place, isReaderMoving: boolean): boolean => {
  const up = before.scrollTop - now.scrollTop
  const lost = Math.max(0, before.scrollHeight - now.scrollHeight) + Math.abs(before.clientHeight - now.clientHeight)
  return isReaderMoving ? up > 0 : up > lost + endPixels
}

/** Keeps the newest line in view unless the reader has scrolled away, and reads more near the ends. */
function useScroll(conversation: Conversation, lines: number) {
  const frame = useRef<HTMLElement>(null)
  const list = useRef<VirtualizerHandle>(null)
  const sticky = useRef(true)
  const place = useRef<Place>({ scrollTop: 0, scrollHeight: 0, clientHeight: 0 })
  const moved = useRef(Number.NEGATIVE_INFINITY)
  const [atEnd, setAtEnd] = useState(true)
  const { messages, newer } = conversation
  const [seen, setSeen] = useState(messages.at(-1)?.id ?? '')
  const last = messages.at(-1)
  const fresh = messages.filter(({ id, role }) => id > seen && role === 'agent')

  const toBottom = (at: HTMLElement) => {
    at.scrollTo({ top: at.scrollHeight })
    place.current = placeOf(at)
  }
  const toEnd = () => {
    sticky.current = true
    conversation.goToEnd()
    list.current?.scrollToIndex(lines - 1, { align: 'end' })
  }
  const watch = useEffectEvent(() => {
    const [at, handle] = [frame.current, list.current]
    if (!at || !handle) return
    const before = place.current
    const isAtEnd = !newer && at.scrollHeight - at.scrollTop - at.clientHeight < endPixels
    const isReaderMoving = performance.now() - moved.current < movingMs
    if (movedUp(before, at, isReaderMoving)) sticky.current = false
    else if (isAtEnd) sticky.current ||= at.scrollTop > before.scrollTop
    else if (sticky.current && !newer && isResized(before, at)) return toBottom(at)
    else sticky.current = false
    place.current = placeOf(at)
    setAtEnd(isAtEnd)
    if (isAtEnd && last) setSeen(last.id)
    if (handle.findItemIndex(at.scrollTop) < nearby) conversation.readOlder()
    if (handle.findItemIndex(at.scrollTop + at.clientHeight) > lines - nearby) conversation.readNewer()
  })
  const follow = useEffectEvent(() => {
    const at = frame.current
    if (sticky.current && at && !newer) toBottom(at)
    else watch()
  })
  useLayoutEffect(() => {
    if (lines > 0) follow()
  }, [lines])
  // Sending a message scrolls to it.
  const sent = conversation.outgoing.at(-1)?.key
  const [lastSent, setLastSent] = useState(sent)
  const showSent = useEffectEvent(toEnd)
  useLayoutEffect(() => {
    if (sent === lastSent) return
    setLastSent(sent)
    if (sent !== undefined) showSent()
  }, [sent, lastSent])
  useEffect(() => {
    const at = frame.current
    if (!at) return
    const sizes = new ResizeObserver(() => follow())
    sizes.observe(at)
    if (at.firstElementChild) sizes.observe(at.firstElementChild)
    const handle = () => watch()
    at.addEventListener('scroll', handle, { passive: true })
    const noteMove = (event: Event) => {
      moved.current = performance.now()
      // A log that follows a growing reply ends a smooth scroll before its first step.
      if (at.scrollTop > 0 && asksUp(event)) sticky.current = false
    }
    for (const name of readerMoves) at.addEventListener(name, noteMove, { passive: true })
    return () => {
      at.removeEventListener('scroll', handle)
      for (const name of readerMoves) at.removeEventListener(name, noteMove)
      sizes.disconnect()
    }
  }, [])
  const unstick = () => {
    sticky.current = false
  }
  return { frame, list, atEnd: atEnd && !newer, unseen: fresh.length, news: fresh.at(-1), toEnd, unstick }
}

/** Goes to the wanted message, reading it first if necessary. @returns its id once it is in view */
function useWanted(
  conversation: Conversation,
  wanted: string | null,
  onShown: () => void,
  { list, unstick }: Pick<ReturnType<typeof useScroll>, 'list' | 'unstick'>,
): string | null {
  const [shown, setShown] = useState<string | null>(null)
  const { messages, goTo } = conversation
  const at = wanted === null ? -1 : messages.findIndex(({ id }) => id === wanted)
  const show = useEffectEvent(() => {
    if (wanted === null) return
    if (at < 0) return goTo(wanted)
    unstick()
    list.current?.scrollToIndex(at, { align: 'center' })
    setShown(wanted)
    onShown()
  })
  const isHere = at >= 0
  useEffect(() => {
    if (wanted !== null || isHere) show()
  }, [wanted, isHere])
  return shown
}
