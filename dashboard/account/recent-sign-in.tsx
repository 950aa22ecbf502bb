import { useState } from 'react'
import { BerthError } from '../../clients/typescript/client.ts'
import { berth, session } from '../api/client.ts'
import { Notice } from '../components/notice.tsx'
import { useAction } from '../components/use-action.ts'

/** An action that wants a sign-in at most ten minutes old: `stale` once it was refused for want of that. */
export function useRecentSignIn<A extends unknown[]>(work: (...input: A) => Promise<void>) {
  const [stale, setStale] = useState(false)
  const action = useAction(async (...input: A) => {
    try {
      await work(...input)
    } catch (thrown) {
      if (!(thrown instanceof BerthError) || thrown.code !== 'forbidden') throw thrown
      setStale(true)
    }
  })
  return { ...action, stale }
}

/** Signs out and shows the sign-in page. */
async function signInAgain(): Promise<void> {
  await berth.logout()
  session.dispatchEvent(new Event('signed-out'))
}

export const SignInAgainNotice = () => (
  <Notice tone="info" action={{ label: 'Sign in again', run: signInAgain }}>
    Your sign-in is more than ten minutes old.
  </Notice>
)
