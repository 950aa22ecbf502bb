import { useEffect, useState } from 'react'
import { useRead } from '../data/cache.ts'
import { Notice } from './notice.tsx'

const key = 'dismissed-notices'

/** Notices are read after the page's own data, ms. */
const waitMs = 3_000

const mostKept = 50
const readDismissed = (): string[] => localStorage.getItem(key)?.split(' ') ?? []

/** The operators' notices, each until it is dismissed in this browser. */
export function ServiceNotices() {
  const [isDue, setIsDue] = useState(false)
  const [dismissed, setDismissed] = useState(readDismissed)
  useEffect(() => {
    const timer = setTimeout(() => setIsDue(true), waitMs)
    return () => clearTimeout(timer)
  }, [])
  const { data } = useRead('listNotices', isDue ? {} : null)
  const dismiss = (id: string) => {
    const next = [...readDismissed(), id].slice(-mostKept)
    localStorage.setItem(key, next.join(' '))
    setDismissed(next)
  }
  return data?.notices
    .filter(({ id }) => !dismissed.includes(id))
    .map(({ id, text }) => (
      <Notice key={id} tone="info" onClose={() => dismiss(id)}>
        {text}
      </Notice>
    ))
}
