import { useEffect, useEffectEvent } from 'react'

/** Repeats work while the page is visible. @param everyMs null to pause */
export function useRepeated(work: () => void, everyMs: number | null): void {
  const run = useEffectEvent(work)
  useEffect(() => {
    if (everyMs === null) return
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') run()
    }, everyMs)
    return () => clearInterval(timer)
  }, [everyMs])
}
