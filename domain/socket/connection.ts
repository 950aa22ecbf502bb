import * as z from 'zod'
import { isAllowed } from '../actor.ts'
import { type Event, eventScope, eventScopes } from '../chat/event.ts'
import type { CallerKind } from '../rates/window-owner.ts'
import { scope } from '../scopes.ts'
import { hourMs, minuteMs, secondMs } from '../time.ts'

/** Decides which events the connection receives, and when it ends. */
const connectionActor = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('session'), userId: z.string(), sessionId: z.string(), signedInAt: z.string() }),
  z.object({
    kind: z.literal('pat'),
    userId: z.string(),
    tokenId: z.string(),
    scopes: z.array(scope),
    expiresAt: z.string(),
  }),
  z.object({
    kind: z.literal('machine'),
    userId: z.string(),
    instanceId: z.string(),
    generation: z.int(),
    audience: z.literal('agent'),
  }),
])
export type ConnectionActor = z.infer<typeof connectionActor>

/** `openedMs` is ms since 1970. */
export const connection = z.object({ id: z.string(), actor: connectionActor, openedMs: z.int() })
export type Connection = z.infer<typeof connection>

/** API Gateway ends a connection after two hours, sometimes without a report; the record lasts a little longer. */
export const connectionTtlMs = 2 * hourMs + 10 * minuteMs

/** A connection looks gone until its `$connect` has been answered. */
export const openingMs = 10 * secondMs

/** One more connection replaces the oldest. */
export const maxReaders = 10

/** The callers that share a rate window with this connection. */
export const callerKindOf = ({ actor }: Connection): CallerKind =>
  (({ session: 'sessions', pat: 'tokens', machine: 'machine' }) as const)[actor.kind]

export const isReader = ({ actor }: Connection): boolean => actor.kind !== 'machine'

/** False for a token that may read no event at all. */
export const mayListen = (actor: ConnectionActor): boolean =>
  actor.kind === 'machine' || eventScopes.some((held) => isAllowed(actor, held))

/** Machines only receive notices of work. */
export function mayHear({ actor }: Connection, event: Pick<Event, 'type'>, nowMs: number): boolean {
  if (actor.kind === 'machine') return false
  if (actor.kind === 'pat' && Date.parse(actor.expiresAt) <= nowMs) return false
  return isAllowed(actor, eventScope(event))
}

/** A machine's earlier connections, or the oldest of too many readers. `open` includes the new connection. */
export function displacedBy(made: Connection, open: readonly Connection[]): Connection[] {
  const others = open.filter(({ id }) => id !== made.id)
  const { actor } = made
  if (actor.kind === 'machine')
    return others.filter((other) => other.actor.kind === 'machine' && other.actor.generation <= actor.generation)
  const readers = others.filter(isReader).sort((a, b) => b.openedMs - a.openedMs)
  return readers.slice(maxReaders - 1)
}

export type Ended = { sessionId: string } | { tokenId: string } | { generationsBefore: number }

export function endsWith({ actor }: Connection, ended: Ended): boolean {
  if ('sessionId' in ended) return actor.kind === 'session' && actor.sessionId === ended.sessionId
  if ('tokenId' in ended) return actor.kind === 'pat' && actor.tokenId === ended.tokenId
  return actor.kind === 'machine' && actor.generation < ended.generationsBefore
}
