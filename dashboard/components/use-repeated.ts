import { useEffect, useEffectEvent } from 'react'

/** Does something every so often while the page is seen. @param everyMs null to rest */
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
