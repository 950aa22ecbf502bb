import { useQueryClient } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import { showClock } from '../format.ts'
import { texts } from '../texts/index.ts'
import { Notice } from './notice.tsx'

/** Shown while an answer on the page could not be read again: older data stays. */
export function NotFreshNote() {
  const client = useQueryClient()
  const cache = client.getQueryCache()
  /** Time of the oldest such answer, ms since 1970; 0 for none. */
  const sinceMs = useSyncExternalStore(
    (changed) => cache.subscribe(changed),
    () => {
      const failing = cache.findAll({ type: 'active' }).filter(
        ({ state: { data, error, fetchStatus, fetchFailureCount } }) =>
          // Old failures stay counted where data came from elsewhere, such as signing in.
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
