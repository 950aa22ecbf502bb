/** The stream of the account's events (SSE), kept open while the page is visible. */
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

/** This tab's name: after a reload it takes over the stream that it had. */
function readerId(): string {
  const known = sessionStorage.getItem('reader')
  if (known) return known
  const made = crypto.randomUUID().replaceAll('-', '')
  sessionStorage.setItem('reader', made)
  return made
}

const hiddenMs = 60_000
const maxWaitMs = 30_000

/**
 * Opens the stream and keeps it open: a broken one is resumed by the browser, a refused one is tried again with
 * growing pauses, and that of a hidden page is closed, since each open stream counts against the service's limit.
 * @returns closes it for good
 */
export function openEventStream({ onEvent, onConnected }: Handlers): () => void {
  let source: EventSource | null = null
  let timer: ReturnType<typeof setTimeout> | undefined
  let waitMs = 1_000

  const close = () => {
    clearTimeout(timer)
    source?.close()
    source = null
  }
  const open = () => {
    close()
    const opened = new EventSource(`/api/events?reader=${readerId()}`)
    source = opened
    opened.onopen = () => {
      waitMs = 1_000
      onConnected(true)
    }
    opened.onerror = () => {
      onConnected(false)
      if (opened.readyState !== EventSource.CLOSED) return
      timer = setTimeout(open, waitMs)
      waitMs = Math.min(waitMs * 2, maxWaitMs)
    }
    for (const type of Object.keys(eventTypes)) {
      opened.addEventListener(type, ({ data }) => {
        const event = parseEvent(data)
        if (event) onEvent(event)
      })
    }
  }
  const followVisibility = () => {
    if (document.visibilityState === 'visible') {
      if (source) clearTimeout(timer)
      else open()
    } else if (source) timer = setTimeout(close, hiddenMs)
  }

  open()
  document.addEventListener('visibilitychange', followVisibility)
  return () => {
    document.removeEventListener('visibilitychange', followVisibility)
    close()
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
