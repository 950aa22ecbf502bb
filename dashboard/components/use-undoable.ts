import { useCallback, useEffect, useRef, useState } from 'react'

const undoMs = 8_000

/**
 * Delays an irreversible action so that it can be cancelled; a second one, or leaving the page, performs it at once.
 */
export function useUndoable<T>(work: (what: T) => void) {
  const [waiting, setWaiting] = useState<{ what: T } | null>(null)
  const pending = useRef<{ what: T; timer: ReturnType<typeof setTimeout> } | null>(null)
  const latest = useRef(work)
  useEffect(() => {
    latest.current = work
  })

  const finish = useCallback((doIt: boolean) => {
    const { current } = pending
    if (!current) return
    clearTimeout(current.timer)
    pending.current = null
    setWaiting(null)
    if (doIt) latest.current(current.what)
  }, [])

  useEffect(() => {
    const leave = () => finish(true)
    window.addEventListener('pagehide', leave)
    return () => {
      window.removeEventListener('pagehide', leave)
      leave()
    }
  }, [finish])

  return {
    waiting: waiting?.what ?? null,
    ask(what: T) {
      finish(true)
      pending.current = { what, timer: setTimeout(() => finish(true), undoMs) }
      setWaiting({ what })
    },
    undo: () => finish(false),
  }
}
