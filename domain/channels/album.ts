/** Platforms deliver the photos and files of an album as separate messages; the agent gets them as one. */
import { secondMs } from '../time.ts'
import type { InboundDelivery } from './delivery.ts'
import { type Happening, maxFiles } from './inbound.ts'

type ChatMessage = Extract<Happening, { kind: 'message' }>

/** An album is complete when none of its messages arrived for this long, ms. */
export const albumQuietMs = 1.5 * secondMs

const albumOf = ({ inbound: { what } }: InboundDelivery): string | undefined =>
  what.kind === 'message' ? what.album : undefined

export const isArriving = (first: InboundDelivery, open: readonly InboundDelivery[], nowMs: number): boolean =>
  albumOf(first) !== undefined &&
  [first, ...siblingsOf(first, open)].some(({ createdAt }) => Date.parse(createdAt) > nowMs - albumQuietMs)

export function siblingsOf(first: InboundDelivery, open: readonly InboundDelivery[]): InboundDelivery[] {
  const album = albumOf(first)
  if (album === undefined) return []
  return open.filter(
    (each) => each !== first && albumOf(each) === album && each.inbound.person.id === first.inbound.person.id,
  )
}

/** The first message with the words and files of all. */
export function withSiblings(first: InboundDelivery, siblings: readonly InboundDelivery[]): InboundDelivery {
  const all = [first, ...siblings].flatMap(({ inbound: { what } }): ChatMessage[] =>
    what.kind === 'message' ? [what] : [],
  )
  const [lead] = all
  if (!lead || siblings.length === 0) return first
  const pointed = all.find((said) => said.pointed)?.pointed
  const what: ChatMessage = {
    ...lead,
    text: all.map(({ text }) => text).find((text) => text !== '') ?? '',
    files: all.flatMap(({ files }) => files).slice(0, maxFiles),
    addressed: all.some(({ addressed }) => addressed),
    ...(pointed && { pointed }),
  }
  return { ...first, inbound: { ...first.inbound, what } }
}
