import { useEffect, useState } from 'react'

const shownMs = 2_000

/** Copies a text when it is run; `done` for a moment after it was. */
export function useCopy(text: string): { done: boolean; run: () => void } {
  const [done, setDone] = useState(false)
  useEffect(() => {
    if (!done) return
    const timer = setTimeout(() => setDone(false), shownMs)
    return () => clearTimeout(timer)
  }, [done])
  return {
    done,
    run: () =>
      void navigator.clipboard?.writeText(text).then(
        () => setDone(true),
        () => setDone(false),
      ),
  }
}
