import { useCallback, useState } from 'react'
import { BerthError } from '../../clients/typescript/client.ts'
import { errorText } from '../data/client.ts'
import { withSignIn } from '../step-up/ask.ts'

interface Action<A extends unknown[]> {
  busy: boolean
  /** The refusal's message; null for none. */
  problem: string | null
  /** Messages by field, when the refusal was about fields. */
  details: Record<string, string[]>
  run(...input: A): Promise<void>
  clear(): void
}

/** Runs one action at a time and keeps its outcome. Asks for a newer sign-in if required, then continues. */
export function useAction<A extends unknown[]>(work: (...input: A) => Promise<void>): Action<A> {
  const [busy, setBusy] = useState(false)
  const [thrown, setThrown] = useState<unknown>(null)
  const clear = useCallback(() => setThrown(null), [])
  const run = async (...input: A) => {
    if (busy) return
    setBusy(true)
    setThrown(null)
    try {
      await withSignIn(() => work(...input))
    } catch (refusal) {
      setThrown(refusal)
    } finally {
      setBusy(false)
    }
  }
  return {
    busy,
    problem: thrown === null ? null : errorText(thrown),
    details: thrown instanceof BerthError ? thrown.details : {},
    run,
    clear,
  }
}
