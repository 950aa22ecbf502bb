import { useState } from 'react'
import { ApiError } from '../client.ts'
import { Notice } from '../parts/notice.tsx'
import { useAction } from '../parts/use-action.ts'
import { signInAgain } from './calls.ts'

/** An action that wants a sign-in at most ten minutes old: `stale` once it was refused for want of that. */
export function useFresh<A extends unknown[]>(work: (...input: A) => Promise<void>) {
  const [stale, setStale] = useState(false)
  const action = useAction(async (...input: A) => {
    try {
      await work(...input)
    } catch (thrown) {
      if (!(thrown instanceof ApiError) || thrown.code !== 'forbidden') throw thrown
      setStale(true)
    }
  })
  return { ...action, stale }
}

export const StaleNotice = () => (
  <Notice tone="info" action={{ label: 'Sign in again', run: () => signInAgain() }}>
    Your sign-in is more than ten minutes old.
  </Notice>
)
