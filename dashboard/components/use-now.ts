import { useEffect, useState } from 'react'

/** The time, ms since 1970, anew every so often while the component is there. */
export function useNow(everyMs = 1_000): number {
  const [nowMs, setNowMs] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNowMs(Date.now()), everyMs)
    return () => clearInterval(timer)
  }, [everyMs])
  return nowMs
}
