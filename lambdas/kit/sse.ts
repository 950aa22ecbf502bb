import type { UserActor } from '../../domain/actor.ts'
import { DomainError, unauthorized } from '../../domain/errors.ts'
import type { Basics, Ports } from '../../domain/ports.ts'
import { secondMs } from '../../domain/time.ts'
import { statusOf } from '../../domain/tokens/pat.ts'
import type { Streamed } from './operation.ts'

/** One server-sent event; null is a comment that keeps the connection alive. */
export interface SseEvent {
  id?: string
  event?: string
  data: unknown
}

/** How often an open stream asks whether its caller may still listen, ms: it ends within 15 s, the asking included. */
export const recheckMs = 12 * secondMs

/**
 * The streams a user may have open at once, whatever the session or token. A function does not hear of a client that
 * has left, so at the limit a stream that was opened a while ago makes room for a new one.
 */
export const streamPlaces = { most: 4, lifeMs: 40 * secondMs, yieldAfterMs: 20 * secondMs }

/** What an open stream holds: leave to go on, and something to give back at its end. */
export interface Leave {
  still(): Promise<boolean>
  end(): Promise<void>
  /** Aborted by `end`. */
  over: AbortSignal
}

type StreamPorts = Pick<Ports, 'leases' | 'sessions' | 'tokens'> & Pick<Basics, 'clock'>

/**
 * A place among the user's open streams. A reader who names itself takes over the place it had before, so that
 * reloading a page is never refused.
 * @throws rate-limited when all were taken a moment ago
 */
export async function openStream(actor: UserActor, deps: StreamPorts, holder = ''): Promise<Leave> {
  const { leases, clock } = deps
  const subject = `streams#${actor.userId}`
  const place = await leases.take(subject, { ...streamPlaces, holder }, clock.now())
  if (!place.taken) {
    const { retryAfterSeconds } = place
    const message = `At most ${streamPlaces.most} streams may be open at once. Try again in ${retryAfterSeconds} seconds.`
    throw new DomainError('rate-limited', message, { retryAfterSeconds })
  }
  const over = new AbortController()
  return {
    over: over.signal,
    still: async () => {
      const now = clock.now()
      const answers = [leases.keep(subject, place.id, streamPlaces, now), isWelcome(actor, deps, now)]
      return (await Promise.all(answers)).every(Boolean)
    },
    end: () => {
      over.abort()
      return leases.give(subject, place.id)
    },
  }
}

/**
 * The parts while their caller may have them, which is asked when it was last asked a while ago.
 * @throws unauthorized within 15 s of the session's or token's end, and when it cannot be told
 */
export async function* whileAllowed<T>(
  source: AsyncIterable<T>,
  actor: UserActor,
  deps: Omit<StreamPorts, 'leases'>,
): AsyncGenerator<T> {
  let welcomeMs = deps.clock.now()
  for await (const part of source) {
    const nowMs = deps.clock.now()
    if (nowMs - welcomeMs >= recheckMs) {
      if (!(await isWelcome(actor, deps, nowMs).catch(() => false))) throw unauthorized()
      welcomeMs = nowMs
    }
    yield part
  }
}

/** Whether the caller's session or token would still be let in. */
async function isWelcome(
  actor: UserActor,
  { sessions, tokens }: Pick<StreamPorts, 'sessions' | 'tokens'>,
  nowMs: number,
): Promise<boolean> {
  if (actor.kind === 'session') return sessions.isOpen(actor.sessionId, nowMs)
  const record = await tokens.find(actor.tokenId)
  return record !== null && statusOf(record, nowMs) === 'active'
}

const encode = (one: SseEvent | null): string =>
  one === null
    ? ': still here\n\n'
    : `${one.id ? `id: ${one.id}\n` : ''}${one.event ? `event: ${one.event}\n` : ''}data: ${JSON.stringify(one.data)}\n\n`

/**
 * Server-sent events out of a generator. A reader that leaves ends it, and so does a caller who is no longer welcome,
 * or of whom that cannot be told.
 */
export function sse(source: AsyncGenerator<SseEvent | null>, leave: Leave, everyMs: number = recheckMs): Streamed {
  const bytes = new TextEncoder()
  let timer: NodeJS.Timeout | undefined
  let over = false
  const end = () => {
    over = true
    clearInterval(timer)
    leave.end().catch(() => {}) // A place that cannot be given back lapses.
    source.return(undefined).catch(() => {}) // It ends where it waits next; nobody reads on.
  }
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      controller.enqueue(bytes.encode(encode(null)))
      timer = setInterval(async () => {
        const still = await leave.still().catch(() => false)
        if (still || over) return
        end()
        controller.close()
      }, everyMs)
    },
    pull: async (controller) => {
      try {
        const { value, done } = await source.next()
        if (over) return
        if (!done) return controller.enqueue(bytes.encode(encode(value)))
        end()
        controller.close()
      } catch (error) {
        if (over) return
        end()
        throw error
      }
    },
    cancel: end,
  })
  return { status: 200, headers: { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' }, body }
}
