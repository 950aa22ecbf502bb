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
import { GrowingReplies } from './chat/growing-replies.ts'
import { setRead, useRead } from './data/cache.ts'
import { refreshAfter, refreshAll } from './data/stale-reads.ts'
import { type EventStream, followEvents } from './event-stream.ts'
import { viewing } from './viewing.ts'

/** Takes each event, and null when events may have been missed. */
type EventHandler = (event: ServerEvent | null) => void

interface AccountState {
  account: Account
  status: InstanceStatus | null
  /** Why the status could not be read. */
  problem: string | null
  connected: boolean
  growing: GrowingReplies
  reload(): void
  /** Sets the instance from an operation's answer, before its event arrives. */
  setInstance(instance: Instance): void
  /** Until this time, ms since 1970, silence may mean a lost reply; 0 when none is awaited. */
  awaitReply(untilMs: number): void
  /** @returns a function that unsubscribes */
  subscribe(handle: EventHandler): () => void
}

const context = createContext<AccountState | null>(null)

export function useAccount(): AccountState {
  const state = useContext(context)
  if (!state) throw new Error('useAccount outside AccountProvider')
  return state
}

/** Calls `handle` with events whose type begins with one of `prefixes`, and with null when some may be missing. */
export function useServerEvents(prefixes: string, handle: EventHandler): void {
  const { subscribe } = useAccount()
  const handleMatching = useEffectEvent((event: ServerEvent | null) => {
    if (!event || prefixes.split(' ').some((prefix) => event.type.startsWith(prefix))) handle(event)
  })
  useEffect(() => subscribe((event) => handleMatching(event)), [subscribe])
}

export function AccountProvider({ account, children }: { account: Account; children: ReactNode }) {
  const { data: status, problem, reload } = useRead('getInstanceStatus')
  const [connected, setConnected] = useState(false)
  const [growing] = useState(() => new GrowingReplies())
  const handlers = useRef(new Set<EventHandler>())
  const stream = useRef<EventStream>(undefined)

  useEffect(() => {
    // A viewed user gets no events: the pages poll instead.
    if (viewing) return
    const dispatch: EventHandler = (event) => {
      for (const handle of handlers.current) handle(event)
    }
    const followed = followEvents(account.id, {
      onEvent(event) {
        refreshAfter(event.type)
        dispatch(event)
      },
      onGrowing: (replies) => growing.set(replies),
      onConnected: setConnected,
      onMissed() {
        refreshAll()
        dispatch(null)
      },
    })
    stream.current = followed
    return () => followed.close()
  }, [account.id, growing])

  const awaitReply = useCallback((untilMs: number) => stream.current?.awaitReply(untilMs), [])
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
      growing,
      reload,
      setInstance: (instance) => setRead('getInstanceStatus', {}, (before) => ({ ...before, instance })),
      awaitReply,
      subscribe,
    }),
    [account, status, problem, connected, growing, reload, awaitReply, subscribe],
  )
  return <context.Provider value={state}>{children}</context.Provider>
}
