import { useCallback, useEffect, useState } from 'react'
import { wordsOf } from '../client.ts'

/** A list that is read at once, and again when asked to. `read` has to stay the same function. */
export function useList<T>(read: () => Promise<T[]>): {
  items: T[] | null
  problem: string | null
  reload: () => void
} {
  const [items, setItems] = useState<T[] | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const reload = useCallback(() => {
    read().then(
      (found) => {
        setItems(found)
        setProblem(null)
      },
      (thrown) => setProblem(wordsOf(thrown)),
    )
  }, [read])
  useEffect(reload, [reload])
  return { items, problem, reload }
}
