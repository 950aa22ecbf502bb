import { useState } from 'react'

/**
 * True once each of these reads has an answer or has failed, and from then on. A page that waits for it shows its parts
 * at once, so that nothing moves when a part arrives.
 */
export function useReady(...reads: readonly { data: unknown; problem: string | null }[]): boolean {
  const [isReady, setIsReady] = useState(false)
  if (!isReady && reads.every(({ data, problem }) => data !== null || problem !== null)) setIsReady(true)
  return isReady
}
