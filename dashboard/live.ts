/** The stream of everything that happens to the account, kept open while somebody looks. */
import type { EventType, Event as Happening } from '../domain/chat/event.ts'

/** Typed as a record so that a new event type does not compile until it is listened to. */
const listened: Record<EventType, true> = {
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

export interface Listener {
  happened(one: Happening): void
  /** True once the stream is open. What it may have missed has to be read again then. */
  connected(is: boolean): void
}

/** This tab's name: after a reload it takes over the stream that it had. */
function reader(): string {
  const known = sessionStorage.getItem('reader')
  if (known) return known
  const made = crypto.randomUUID().replaceAll('-', '')
  sessionStorage.setItem('reader', made)
  return made
}

const hiddenMs = 60_000
const longestWaitMs = 30_000

/**
 * Opens the stream and keeps it open: a broken one is resumed by the browser, a refused one is tried again with
 * growing pauses, and one that nobody looks at is closed, since each open stream holds a place at the service.
 * @returns closes it for good
 */
export function openLive(listener: Listener): () => void {
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
    const opened = new EventSource(`/api/events?reader=${reader()}`)
    source = opened
    opened.onopen = () => {
      waitMs = 1_000
      listener.connected(true)
    }
    opened.onerror = () => {
      listener.connected(false)
      if (opened.readyState !== EventSource.CLOSED) return
      timer = setTimeout(open, waitMs)
      waitMs = Math.min(waitMs * 2, longestWaitMs)
    }
    for (const type of Object.keys(listened)) {
      opened.addEventListener(type, (event) => {
        const one = read(event.data)
        if (one) listener.happened(one)
      })
    }
  }
  const look = () => {
    if (document.visibilityState === 'visible') {
      if (source) clearTimeout(timer)
      else open()
    } else if (source) timer = setTimeout(close, hiddenMs)
  }

  open()
  document.addEventListener('visibilitychange', look)
  return () => {
    document.removeEventListener('visibilitychange', look)
    close()
  }
}

function read(data: string): Happening | null {
  try {
    // safe because the service writes events by this schema
    return JSON.parse(data) as Happening
  } catch {
    return null
  }
}
