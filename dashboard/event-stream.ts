/** The stream of the account's events (SSE), one for all tabs of a browser. */
import type { EventType, Event as ServerEvent } from '../domain/chat/event.ts'

/** Typed as a record so that a new event type does not compile until it is listened to. */
const eventTypes: Record<EventType, true> = {
  'instance.state_changed': true,
  'instance.image_changed': true,
  'instance.image_reverted': true,
  'wallet.credited': true,
  'wallet.charged': true,
  'wallet.low': true,
  'wallet.empty': true,
  'wallet.auto_topup_failed': true,
  'subscription.changed': true,
  'message.received': true,
  'message.progress': true,
  'message.sent': true,
  'prompt.closed': true,
  'token.created': true,
  'token.revoked': true,
  'token.leaked': true,
  'persona.changed': true,
  'skill.changed': true,
  'files.task_ended': true,
  'instance.runaway': true,
  'instance.volume_full': true,
}

interface Handlers {
  onEvent(event: ServerEvent): void
  /** True once the stream is open. What it may have missed has to be read again then. */
  onConnected(open: boolean): void
}

/** The name by which the service knows a stream: whoever takes over under it also takes the former's place. */
function nameIn(storage: Storage): string {
  const known = storage.getItem('reader')
  if (known) return known
  const made = crypto.randomUUID().replaceAll('-', '')
  storage.setItem('reader', made)
  return made
}

const hiddenMs = 60_000
const maxWaitMs = 30_000

/**
 * The account's events, for as long as this page is visible. The tabs of a browser share one stream, since each counts
 * against the service's limit: the one that holds the lock has it, and tells the others. @returns closes it for good
 */
export function followEvents(accountId: string, handlers: Handlers): () => void {
  let leave: (() => void) | null = null
  let timer: ReturnType<typeof setTimeout> | undefined
  const join = () => {
    leave ??=
      'locks' in navigator ? share(`events ${accountId}`, handlers) : openStream(nameIn(sessionStorage), handlers)
  }
  const part = () => {
    clearTimeout(timer)
    leave?.()
    leave = null
  }
  const followVisibility = () => {
    clearTimeout(timer)
    if (document.visibilityState === 'visible') join()
    else timer = setTimeout(part, hiddenMs)
  }
  join()
  document.addEventListener('visibilitychange', followVisibility)
  return () => {
    document.removeEventListener('visibilitychange', followVisibility)
    part()
  }
}

/** What the tab with the stream tells the others; `hello` asks it whether the stream is open. */
type Told = { event: ServerEvent } | { open: boolean } | 'hello'

function share(name: string, { onEvent, onConnected }: Handlers): () => void {
  const others = new BroadcastChannel(name)
  const tell = (told: Told) => others.postMessage(told)
  const left = new AbortController()
  let open = false
  others.onmessage = ({ data }: MessageEvent<Told>) => {
    if (data === 'hello') return
    if ('event' in data) onEvent(data.event)
    else onConnected(data.open)
  }
  tell('hello')

  /** Until this tab leaves, which gives the lock to the next. */
  const lead = () =>
    new Promise<void>((done) => {
      const close = openStream(nameIn(localStorage), {
        onEvent(event) {
          tell({ event })
          onEvent(event)
        },
        onConnected(isOpen) {
          open = isOpen
          tell({ open })
          onConnected(isOpen)
        },
      })
      others.onmessage = ({ data }: MessageEvent<Told>) => data === 'hello' && tell({ open })
      left.signal.addEventListener('abort', () => {
        tell({ open: false })
        close()
        done()
      })
    })
  navigator.locks.request(name, { signal: left.signal }, lead).catch(() => {}) // It left before its turn came.
  return () => {
    left.abort()
    others.close()
  }
}

/**
 * Opens the stream and keeps it open: a broken one is resumed by the browser, and a refused one is tried again with
 * growing pauses. @returns closes it for good
 */
function openStream(reader: string, { onEvent, onConnected }: Handlers): () => void {
  let source: EventSource
  let timer: ReturnType<typeof setTimeout> | undefined
  let waitMs = 1_000
  const open = () => {
    source = new EventSource(`/api/events?reader=${reader}`)
    source.onopen = () => {
      waitMs = 1_000
      onConnected(true)
    }
    source.onerror = () => {
      onConnected(false)
      if (source.readyState !== EventSource.CLOSED) return
      timer = setTimeout(open, waitMs)
      waitMs = Math.min(waitMs * 2, maxWaitMs)
    }
    for (const type of Object.keys(eventTypes)) {
      source.addEventListener(type, ({ data }) => {
        const event = parseEvent(data)
        if (event) onEvent(event)
      })
    }
  }
  open()
  return () => {
    clearTimeout(timer)
    source.close()
  }
}

function parseEvent(data: string): ServerEvent | null {
  try {
    // safe because the service writes events by this schema
    return JSON.parse(data) as ServerEvent
  } catch {
    return null
  }
}
