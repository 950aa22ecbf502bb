import { useQueryClient } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import { showClock } from '../format.ts'
import { texts } from '../texts/index.ts'
import { Notice } from './notice.tsx'

/** A quiet line while something that is shown could not be read again: older data stays where it is. */
export function NotFreshNote() {
  const client = useQueryClient()
  const cache = client.getQueryCache()
  /** When the oldest of it was true, ms since 1970; 0 while all is as new as it can be. */
  const sinceMs = useSyncExternalStore(
    (changed) => cache.subscribe(changed),
    () => {
      const failing = cache.findAll({ type: 'active' }).filter(
        ({ state: { data, error, fetchStatus, fetchFailureCount } }) =>
          // Failures that are over stay counted where data came from elsewhere, as by signing in.
          data !== undefined && (error !== null || (fetchStatus !== 'idle' && fetchFailureCount > 0)),
      )
      return failing.length === 0 ? 0 : Math.min(...failing.map(({ state }) => state.dataUpdatedAt))
    },
  )
  if (sinceMs === 0) return null
  const retry = () => void client.invalidateQueries({ type: 'active' })
  return (
    <Notice tone="info" action={{ label: texts.common.tryAgain, run: retry }}>
      {texts.common.notFresh(showClock(new Date(sinceMs).toISOString()))}
    </Notice>
  )
}
