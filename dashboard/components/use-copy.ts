import { useEffect, useState } from 'react'

const shownMs = 2_000

/** `done` is true for a moment after copying. */
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
