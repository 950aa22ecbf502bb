import type { Event } from '../chat/event.ts'

export const walletUri = 'berth://wallet'
export const instanceUri = 'berth://instance'
export const skillUri = (id: string) => `berth://skills/${id}`

export interface ResourceChange {
  eventId: string
  uri: string
}

/** Null for events that no resource shows, such as those of messages and tokens. */
export function changeOf(event: Event): ResourceChange | null {
  const uri = changedUri(event)
  return uri === null ? null : { eventId: event.id, uri }
}

function changedUri({ type, data }: Event): string | null {
  const [noun] = type.split('.')
  // Not every model call within a turn is announced; at the turn's end all have been paid.
  if (noun === 'wallet' || type === 'prompt.closed') return walletUri
  if (noun === 'instance' || noun === 'subscription' || noun === 'persona') return instanceUri
  return noun === 'skill' && typeof data.skill === 'string' ? skillUri(data.skill) : null
}
