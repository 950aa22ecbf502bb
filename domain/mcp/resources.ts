import type { Event } from '../chat/event.ts'

export const walletUri = 'berth://wallet'
export const instanceUri = 'berth://instance'
export const skillUri = (id: string) => `berth://skills/${id}`

/** A resource whose content is no longer what it was, and the event that says so. */
export interface ResourceChange {
  eventId: string
  uri: string
}

/** The resource an event has changed; null for what no resource shows, such as messages and tokens. */
export function changeOf(event: Event): ResourceChange | null {
  const uri = changedUri(event)
  return uri === null ? null : { eventId: event.id, uri }
}

function changedUri({ type, data }: Event): string | null {
  const [noun] = type.split('.')
  // Model calls within a turn are not all announced; at the turn's end all have been paid.
  if (noun === 'wallet' || type === 'prompt.closed') return walletUri
  if (noun === 'instance' || noun === 'subscription' || noun === 'persona') return instanceUri
  return noun === 'skill' && typeof data.skill === 'string' ? skillUri(data.skill) : null
}
