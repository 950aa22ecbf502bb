import { useEffect, useEffectEvent, useLayoutEffect, useRef, useState } from 'react'
import type { VirtualizerHandle } from 'virtua'
import type { Conversation } from './conversation.ts'

/** Lines from an end at which the next page is read. */
const nearby = 8

/** Within so many pixels a reader is at the end. */
const endPixels = 60
/** Input by which a reader scrolls. */
const readerMoves = ['wheel', 'touchmove', 'keydown', 'pointerdown'] as const
const upKeys = ['ArrowUp', 'PageUp', 'Home']
/** A smooth scroll goes on for as long after its input, ms. */
const movingMs = 500

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
 * more than its height changed.
 */
const movedUp = (before: Place, now: Place, isReaderMoving: boolean): boolean => {
  const up = before.scrollTop - now.scrollTop
  const changed = Math.abs(before.scrollHeight - now.scrollHeight) + Math.abs(before.clientHeight - now.clientHeight)
  return isReaderMoving ? up > 0 : up > changed + endPixels
}

/** Keeps the newest line in view unless the reader has scrolled away, and reads more near the ends. */
export function useScroll(conversation: Conversation, lines: number) {
  const frame = useRef<HTMLElement>(null)
  const list = useRef<VirtualizerHandle>(null)
  const sticky = useRef(true)
  const place = useRef<Place>({ scrollTop: 0, scrollHeight: 0, clientHeight: 0 })
  const moved = useRef(Number.NEGATIVE_INFINITY)
  const isUpward = useRef(false)
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
    // A line above that gets its true height moves the log down, too: that is no wish of a reader who scrolls up.
    else if (isAtEnd) sticky.current ||= at.scrollTop > before.scrollTop && !isUpward.current
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
      isUpward.current = asksUp(event)
      // A log that follows a growing reply ends a smooth scroll before its first step.
      if (at.scrollTop > 0 && isUpward.current) sticky.current = false
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
