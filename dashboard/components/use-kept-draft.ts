import { useEffect, useRef, useState } from 'react'
import { useAccount } from '../account-state.tsx'

interface KeptDraft<T> {
  key: string
  /** Time of the last change, ISO 8601. */
  at: string
  value: T
}

const prefixOf = (accountId: string, place: string) => `draft ${accountId} ${place} `

function keysOf(accountId: string, place: string): string[] {
  try {
    const prefix = prefixOf(accountId, place)
    // The rest is an id: a path or name that continues the place starts with a space and is a different place.
    return Object.keys(localStorage).filter((key) => key.startsWith(prefix) && !key.slice(prefix.length).includes(' '))
  } catch {
    return []
  }
}

export const hasDraft = (accountId: string, place: string): boolean => keysOf(accountId, place).length > 0

export function dropDrafts(accountId: string, place: string): void {
  for (const key of keysOf(accountId, place)) localStorage.removeItem(key)
}

function read<T>(key: string, parse: (value: unknown) => T | null): KeptDraft<T> | null {
  try {
    const { at, value } = JSON.parse(localStorage.getItem(key) ?? '{}')
    const parsed = parse(value)
    return typeof at === 'string' && parsed !== null ? { key, at, value: parsed } : null
  } catch {
    return null
  }
}

interface State<T> {
  key: string
  draft: T | null
  others: KeptDraft<T>[]
}

/**
 * Unsaved text of a place, kept in this browser for its account over reloads, crashes and signing out.
 * Each open page locks its own draft, so two pages never overwrite each other; a closed page's draft is resumed.
 * @param parse returns null for an invalid value
 */
export function useKeptDraft<T>(place: string, parse: (value: unknown) => T | null) {
  const { account } = useAccount()
  const [state, setState] = useState<State<T> | null>(null)
  const [isKept, setIsKept] = useState(true)
  const parseRef = useRef(parse)
  const hold = useRef<(key: string) => Promise<boolean>>(async () => false)

  useEffect(() => {
    let release = () => {}
    let isLeft = false
    hold.current = (key) =>
      new Promise((resolve) => {
        void navigator.locks.request(key, { ifAvailable: true }, (lock) => {
          resolve(lock !== null && !isLeft)
          if (!lock || isLeft) return
          release()
          return new Promise<void>((end) => {
            release = end
          })
        })
      })
    const open = async () => {
      const { held = [] } = await navigator.locks.query()
      const used = new Set(held.map(({ name }) => name))
      const free = keysOf(account.id, place)
        .filter((key) => !used.has(key))
        .flatMap((key) => read(key, parseRef.current) ?? [])
        .sort((a, b) => (a.at < b.at ? 1 : -1))
      for (const [index, draft] of free.entries())
        if (await hold.current(draft.key))
          return setState({ key: draft.key, draft: draft.value, others: free.slice(index + 1) })
      const key = `${prefixOf(account.id, place)}${crypto.randomUUID()}`
      if (await hold.current(key)) setState({ key, draft: null, others: [] })
    }
    setState(null)
    void open()
    return () => {
      isLeft = true
      release()
    }
  }, [account.id, place])

  return {
    isRead: state !== null,
    draft: state?.draft ?? null,
    others: state?.others ?? [],
    /** False when the browser has no room: only this page holds the draft. */
    isKept,
    keep(draft: T): void {
      if (!state) return
      setState({ ...state, draft })
      try {
        localStorage.setItem(state.key, JSON.stringify({ at: new Date().toISOString(), value: draft }))
        setIsKept(true)
      } catch {
        setIsKept(false)
      }
    },
    drop(): void {
      if (!state) return
      localStorage.removeItem(state.key)
      setState({ ...state, draft: null })
      setIsKept(true)
    },
    /** Continues with another draft; this page's own draft is kept. */
    async take(other: KeptDraft<T>): Promise<void> {
      if (!state || !(await hold.current(other.key))) return
      const own = state.draft === null ? [] : [{ key: state.key, at: new Date().toISOString(), value: state.draft }]
      // Another page may have changed it since, and been closed.
      const draft = read(other.key, parseRef.current)?.value ?? other.value
      setState({ key: other.key, draft, others: [...own, ...state.others.filter((kept) => kept !== other)] })
    },
  }
}

/** Makes the browser ask before the page is left. */
export function useAskBeforeLeaving(isUnsaved: boolean): void {
  useEffect(() => {
    if (!isUnsaved) return
    const ask = (event: BeforeUnloadEvent) => event.preventDefault()
    window.addEventListener('beforeunload', ask)
    return () => window.removeEventListener('beforeunload', ask)
  }, [isUnsaved])
}
