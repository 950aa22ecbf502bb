import { useEffect, useState } from 'react'

/** ms since 1970, updated regularly while the component is mounted. */
export function useNow(everyMs = 1_000): number {
  const [nowMs, setNowMs] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNowMs(Date.now()), everyMs)
    return () => clearInterval(timer)
  }, [everyMs])
  return nowMs
}
