import { useCallback, useEffect, useState } from 'react'
import { errorText } from '../api/client.ts'

/** What `read` answers: read at once, and again by `reload`. `read` has to stay the same function. */
export function useData<T>(read: () => Promise<T>) {
  const [data, setData] = useState<T | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const reload = useCallback(() => {
    read().then(
      (answer) => {
        setData(answer)
        setProblem(null)
      },
      (thrown) => setProblem(errorText(thrown)),
    )
  }, [read])
  useEffect(reload, [reload])
  return { data, setData, problem, reload }
}
