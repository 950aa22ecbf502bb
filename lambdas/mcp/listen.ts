import type { Basics, Ports } from '../../domain/ports.ts'
import { type Leave, openStream, recheckMs } from '../kit/sse.ts'
import type { Caller } from './caller.ts'
import { readMessage } from './message.ts'

/** A place among the user's open streams for a request that opens one; null for any other. @throws rate-limited */
export async function leaveToListen(
  { actor, request }: Caller,
  deps: Pick<Ports, 'leases' | 'sessions' | 'tokens'> & Basics,
): Promise<Leave | null> {
  return readMessage(request.rawBody).method === 'subscriptions/listen' ? openStream(actor, deps) : null
}

/** The source while its caller may listen: it ends within a recheck of the token's end, whatever it waits for. */
export async function* whileWelcome<T>(
  source: AsyncGenerator<T>,
  leave: Leave,
  everyMs: number = recheckMs,
): AsyncGenerator<T> {
  const over = Promise.withResolvers<IteratorReturnResult<undefined>>()
  const timer = setInterval(async () => {
    if (!(await leave.still().catch(() => false))) over.resolve({ done: true, value: undefined })
  }, everyMs)
  try {
    for (;;) {
      const next = await Promise.race([source.next(), over.promise])
      if (next.done) return
      yield next.value
    }
  } finally {
    clearInterval(timer)
    source.return(undefined).catch(() => {}) // It ends where it waits next; nobody reads on.
    await leave.end().catch(() => {}) // A place that cannot be given back lapses.
  }
}
