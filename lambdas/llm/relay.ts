import { minuteMs, secondMs } from '../../domain/time.ts'
import type { OpenCall } from './open-call.ts'

/** Times after which a quiet party is acted on, ms. */
export interface Patience {
  /** Silence after which the client gets a comment, so that no gateway gives up on the stream. */
  silenceMs: number
  /** A client that takes nothing for so long has gone. */
  blockedMs: number
  /** A provider silent for so long while nobody listens is let go. */
  drainMs: number
}

export const patience: Patience = { silenceMs: 15 * secondMs, blockedMs: 30 * secondMs, drainMs: minuteMs }

const encoder = new TextEncoder()
const comment = encoder.encode(': waiting\n\n')

type Chunk = IteratorResult<Uint8Array> | 'cut'

/**
 * Passes the provider's events to the client as they come. The stream closes when the call is settled, after its
 * last byte; cancelling it drains the provider, and is done when the call is settled.
 */
export function relay(
  open: OpenCall,
  source: AsyncIterable<Uint8Array>,
  { silenceMs, blockedMs, drainMs } = patience,
): ReadableStream<Uint8Array> {
  const { meter } = open
  const { hidesUsage } = open.facts.call
  const chunks = source[Symbol.asyncIterator]()
  let pending: Promise<Chunk> | null = null
  let left: Promise<void> | null = null
  let ended = false
  let blocked: NodeJS.Timeout | undefined

  const next = (): Promise<Chunk> => {
    pending ??= chunks.next().catch(() => 'cut' as const)
    return pending
  }

  const end = async (controller: ReadableStreamDefaultController<Uint8Array>, failed: boolean) => {
    const rest = failed ? { forward: new Uint8Array(0), failed } : meter.end(hidesUsage)
    if (rest.forward.length > 0) controller.enqueue(rest.forward)
    if (rest.failed) {
      open.abort()
      controller.enqueue(encoder.encode(open.facts.dialect.errorEvent))
    }
    ended = true
    await open.finish(rest.failed ? 'cut' : 'whole')
    if (!left) controller.close()
  }

  const forward = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
    while (!left) {
      const got = await within(next(), silenceMs)
      if (left) return
      if (got === 'late') return controller.enqueue(comment)
      pending = null
      if (got === 'cut') return end(controller, true)
      if (got.done) return end(controller, false)
      open.noteByte()
      const taken = meter.take(got.value, hidesUsage)
      if (taken.forward.length > 0) controller.enqueue(taken.forward)
      if (taken.failed) return end(controller, true)
      if (taken.forward.length > 0) return
    }
  }

  const drain = async (): Promise<void> => {
    let got: Chunk | 'late' = await within(next(), drainMs)
    while (got !== 'late' && got !== 'cut' && !got.done) {
      if (meter.take(got.value, hidesUsage).failed) break
      pending = null
      got = await within(next(), drainMs)
    }
    meter.end(hidesUsage)
    open.abort()
    await open.finish('left')
  }

  const leave = (): Promise<void> => {
    clearTimeout(blocked)
    left ??= ended ? open.finish('left') : drain()
    return left
  }

  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        clearTimeout(blocked)
        await forward(controller)
        if (ended || left) return
        blocked = setTimeout(() => {
          controller.error(new Error('the client stopped reading'))
          leave().catch(() => {})
        }, blockedMs)
      },
      cancel: leave,
    },
    { highWaterMark: 0 },
  )
}

/** The promise's value, or `late` when it is not there in time. */
async function within<T>(promise: Promise<T>, ms: number): Promise<T | 'late'> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(resolve, ms, 'late')
  })
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}
