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
import type { InstanceStatus } from '../clients/typescript/operations.ts'
import type { Account } from '../domain/account/user.ts'
import type { Event as ServerEvent } from '../domain/chat/event.ts'
import type { Instance } from '../domain/instance/instance.ts'
import { berth, errorText } from './api/client.ts'
import { followEvents } from './event-stream.ts'

/** Takes each event, and null when events may have been missed. */
type EventHandler = (event: ServerEvent | null) => void

interface AccountState {
  account: Account
  /** Null until it was read once. */
  status: InstanceStatus | null
  /** Why the status could not be read, in words. */
  problem: string | null
  connected: boolean
  reload(): void
  /** Takes over the instance an operation answered with, before the stream says it. */
  setInstance(instance: Instance): void
  /** @returns what ends it */
  subscribe(handle: EventHandler): () => void
}

const context = createContext<AccountState | null>(null)

export function useAccount(): AccountState {
  const state = useContext(context)
  if (!state) throw new Error('useAccount outside AccountProvider')
  return state
}

/** Calls `handle` with each event whose type begins with one of `prefixes`, and with null when one may have been missed. */
export function useServerEvents(prefixes: string, handle: EventHandler): void {
  const { subscribe } = useAccount()
  const handleMatching = useEffectEvent((event: ServerEvent | null) => {
    if (!event || prefixes.split(' ').some((prefix) => event.type.startsWith(prefix))) handle(event)
  })
  useEffect(() => subscribe((event) => handleMatching(event)), [subscribe])
}

const settleMs = 150

/** Holds what every page shows of the account and keeps it true by the event stream. */
export function AccountProvider({ account, children }: { account: Account; children: ReactNode }) {
  const [status, setStatus] = useState<InstanceStatus | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const [connected, setConnected] = useState(false)
  const handlers = useRef(new Set<EventHandler>())
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)

  const load = useCallback(() => {
    berth.getInstanceStatus().then(
      (answer) => {
        setStatus(answer)
        setProblem(null)
      },
      (thrown) => setProblem(errorText(thrown)),
    )
  }, [])

  // Events come in bursts (charged, sent, low): one read answers them all.
  const reload = useCallback(() => {
    clearTimeout(timer.current)
    timer.current = setTimeout(load, settleMs)
  }, [load])

  useEffect(() => {
    load()
    const dispatch: EventHandler = (event) => {
      for (const handle of handlers.current) handle(event)
    }
    const close = followEvents(account.id, {
      onEvent(event) {
        if (/^(instance|wallet|subscription|prompt)\./.test(event.type)) reload()
        dispatch(event)
      },
      onConnected(open) {
        setConnected(open)
        reload()
        dispatch(null)
      },
    })
    return () => {
      clearTimeout(timer.current)
      close()
    }
  }, [account.id, load, reload])

  const subscribe = useCallback((handle: EventHandler) => {
    handlers.current.add(handle)
    return () => {
      handlers.current.delete(handle)
    }
  }, [])

  const state = useMemo<AccountState>(
    () => ({
      account,
      status,
      problem,
      connected,
      reload,
      setInstance: (instance) => setStatus((before) => (before ? { ...before, instance } : before)),
      subscribe,
    }),
    [account, status, problem, connected, reload, subscribe],
  )
  return <context.Provider value={state}>{children}</context.Provider>
}
