import { DomainError, providerError } from '../../domain/errors.ts'
import { join } from '../../domain/models/sse.ts'
import type { Streamed } from '../kit/operation.ts'
import type { OpenCall } from './open-call.ts'
import { relay } from './relay.ts'

/** Waits before the second, third and fourth try, ms. */
const retryWaitsMs = [250, 500, 1_000]

/** Largest answer that is not a stream, in bytes. */
const maxAnswerBytes = 32 * 1024 * 1024

/** Calls the provider and passes its answer on; the call is settled with the last byte. @throws provider-error */
export async function answer(open: OpenCall, body: string): Promise<Streamed> {
  try {
    const response = await send(open, body)
    const type = response.headers.get('content-type') ?? ''
    const streamed = type.startsWith('text/event-stream') && response.body !== null
    const passed = streamed ? relay(open, response.body) : await whole(open, response)
    return { status: 200, headers: headersOf(open, streamed), body: passed }
  } catch (thrown) {
    open.abort()
    await open.finish('cut')
    throw thrown
  }
}

/** Nothing of the provider's headers goes out. */
const headersOf = (open: OpenCall, streamed: boolean): Record<string, string> => ({
  'Content-Type': streamed ? 'text/event-stream; charset=utf-8' : 'application/json',
  'Cache-Control': 'no-cache, no-transform',
  'X-Berth-Call': open.facts.callId,
})

/** Tries again while the provider is busy, broken or out of reach; never after it began to answer. */
async function send(open: OpenCall, body: string): Promise<Response> {
  const { model, dialect, call } = open.facts
  const headers = { accept: call.stream ? 'text/event-stream' : 'application/json' }
  for (const waitMs of retryWaitsMs) {
    const response = await open.deps.models.call(model, dialect.format, body, headers, open.signal).catch(only)
    if (response?.status === 200) return response
    await response?.body?.cancel()
    if (open.signal.aborted || (response && !mayPass(response.status))) throw failed(response)
    await open.deps.clock.sleep(waitMs)
  }
  const last = await open.deps.models.call(model, dialect.format, body, headers, open.signal)
  if (last.status === 200) return last
  await last.body?.cancel()
  throw failed(last)
}

/** A provider out of reach is worth another try; anything else is not. */
function only(thrown: unknown): null {
  if (thrown instanceof DomainError && thrown.code === 'provider-error') return null
  throw thrown
}

const mayPass = (status: number): boolean => status === 408 || status === 429 || status >= 500

/** The provider's status is all that is said of its error. */
const failed = (response: Response | null): DomainError =>
  new DomainError('provider-error', providerError().message, {
    details: { upstream: [response ? `HTTP ${response.status}` : 'no connection'] },
  })

/** An answer that is one JSON document: read whole, so that a cut one is a clean error and costs nothing. */
async function whole(open: OpenCall, response: Response): Promise<ReadableStream<Uint8Array>> {
  const bytes = await readAll(response)
  open.noteByte()
  if (!open.meter.takeJson(new TextDecoder().decode(bytes))) throw failed(response)
  const sent = { last: false }
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        if (!sent.last) {
          sent.last = true
          controller.enqueue(bytes)
          return
        }
        await open.finish('whole')
        controller.close()
      },
      cancel: () => open.finish('whole'),
    },
    { highWaterMark: 0 },
  )
}

async function readAll(response: Response): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  let size = 0
  try {
    for await (const part of response.body ?? []) {
      size += part.length
      if (size > maxAnswerBytes) throw new RangeError('the answer is too large')
      parts.push(part)
    }
  } catch {
    throw new DomainError('provider-error', providerError().message, { details: { upstream: ['cut off'] } })
  }
  return join(parts, size)
}
