import * as z from 'zod'
import { isAllowed } from '../actor.ts'
import { type Event, eventScope, eventScopes } from '../chat/event.ts'
import { scope } from '../scopes.ts'
import { hourMs, minuteMs, secondMs } from '../time.ts'
import type { CallerKind } from '../tokens/window-owner.ts'

/** The opener of a connection: it decides which events the connection receives, and when it ends. */
export const connectionActor = z.discriminatedUnion('kind', [
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

/** An open WebSocket connection; `openedMs` is ms since 1970. */
export const connection = z.object({ id: z.string(), actor: connectionActor, openedMs: z.int() })
export type Connection = z.infer<typeof connection>

/**
 * API Gateway ends a connection after two hours; what is kept of one that it forgot to tell of lasts a little longer.
 */
export const connectionTtlMs = 2 * hourMs + 10 * minuteMs

/** A connection cannot be written to before its `$connect` has been answered, and looks gone until then. */
export const openingMs = 10 * secondMs

/** Connections of a user's browsers and programs; one more takes the place of the oldest. */
export const maxReaders = 10

/** The callers that messages of this connection are counted with. */
export const callerKindOf = ({ actor }: Connection): CallerKind =>
  (({ session: 'sessions', pat: 'tokens', machine: 'machine' }) as const)[actor.kind]

export const isReader = ({ actor }: Connection): boolean => actor.kind !== 'machine'

/** Whether a token could hear of anything at all. */
export const mayListen = (actor: ConnectionActor): boolean =>
  actor.kind === 'machine' || eventScopes.some((held) => isAllowed(actor, held))

/** Whether this connection receives an event: machines only receive notices of work. */
export function mayHear({ actor }: Connection, event: Pick<Event, 'type'>, nowMs: number): boolean {
  if (actor.kind === 'machine') return false
  if (actor.kind === 'pat' && Date.parse(actor.expiresAt) <= nowMs) return false
  return isAllowed(actor, eventScope(event))
}

/**
 * Connections that a new one displaces: a machine's earlier ones, and the oldest of the readers who are too many.
 * `open` has the new one in it.
 */
export function displacedBy(made: Connection, open: readonly Connection[]): Connection[] {
  const others = open.filter(({ id }) => id !== made.id)
  const { actor } = made
  if (actor.kind === 'machine')
    return others.filter((other) => other.actor.kind === 'machine' && other.actor.generation <= actor.generation)
  const readers = others.filter(isReader).sort((a, b) => b.openedMs - a.openedMs)
  return readers.slice(maxReaders - 1)
}

/** The end of a connection's credential. */
export type Ended = { sessionId: string } | { tokenId: string } | { generationsBefore: number }

/** Whether a connection ends with what has ended. */
export function endsWith({ actor }: Connection, ended: Ended): boolean {
  if ('sessionId' in ended) return actor.kind === 'session' && actor.sessionId === ended.sessionId
  if ('tokenId' in ended) return actor.kind === 'pat' && actor.tokenId === ended.tokenId
  return actor.kind === 'machine' && actor.generation < ended.generationsBefore
}
