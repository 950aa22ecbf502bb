import {
  createContext,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useEffectEvent,
  useMemo,
  useRef,
  useState,
} from 'react'
import type { Account } from '../domain/account/user.ts'
import type { Event as Happening } from '../domain/chat/event.ts'
import type { Instance } from '../domain/instance/instance.ts'
import { api, type Status, wordsOf } from './client.ts'
import { openLive } from './live.ts'

interface Live {
  account: Account
  /** Null until it was read once. */
  status: Status | null
  /** Why the status could not be read, in words. */
  problem: string | null
  connected: boolean
  reload(): void
  /** Takes over the instance an operation answered with, before the stream says it. */
  setInstance(instance: Instance): void
  /** Calls back on each event, and with null when events may have been missed. */
  listen(listener: (one: Happening | null) => void): () => void
}

const context = createContext<Live | null>(null)

export function useLive(): Live {
  const live = useContext(context)
  if (!live) throw new Error('useLive outside AccountProvider')
  return live
}

/** Calls `changed` when an event whose type begins with one of `prefixes` comes, or may have been missed. */
export function useChanges(prefixes: string, changed: () => void): void {
  const { listen } = useLive()
  const heard = useEffectEvent((one: Happening | null) => {
    if (!one || prefixes.split(' ').some((prefix) => one.type.startsWith(prefix))) changed()
  })
  useEffect(() => listen((one) => heard(one)), [listen])
}

/** Calls `heard` on each event. */
export function useEvent(heard: (one: Happening) => void): void {
  const { listen } = useLive()
  const each = useEffectEvent((one: Happening | null) => {
    if (one) heard(one)
  })
  useEffect(() => listen((one) => each(one)), [listen])
}

const settleMs = 150

/** Holds what every page shows of the account and keeps it true by the event stream. */
export function AccountProvider({ account, children }: { account: Account; children: ReactNode }) {
  const [status, setStatus] = useState<Status | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const [connected, setConnected] = useState(false)
  const listeners = useRef(new Set<(one: Happening | null) => void>())
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)

  const load = useCallback(() => {
    api.status().then(
      (read) => {
        setStatus(read)
        setProblem(null)
      },
      (thrown) => setProblem(wordsOf(thrown)),
    )
  }, [])

  // Events come in bursts (charged, sent, low): one read answers them all.
  const reload = useCallback(() => {
    clearTimeout(timer.current)
    timer.current = setTimeout(load, settleMs)
  }, [load])

  useEffect(() => {
    load()
    const tell = (one: Happening | null) => {
      for (const listener of listeners.current) listener(one)
    }
    const close = openLive({
      happened(one) {
        if (/^(instance|wallet|subscription|prompt)\./.test(one.type)) reload()
        tell(one)
      },
      connected(is) {
        setConnected(is)
        reload()
        tell(null)
      },
    })
    return () => {
      clearTimeout(timer.current)
      close()
    }
  }, [load, reload])

  const listen = useCallback((listener: (one: Happening | null) => void) => {
    listeners.current.add(listener)
    return () => {
      listeners.current.delete(listener)
    }
  }, [])

  const live = useMemo<Live>(
    () => ({
      account,
      status,
      problem,
      connected,
      reload,
      setInstance: (instance) => setStatus((before) => (before ? { ...before, instance } : before)),
      listen,
    }),
    [account, status, problem, connected, reload, listen],
  )
  return <context.Provider value={live}>{children}</context.Provider>
}
