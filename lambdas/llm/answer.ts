import { DomainError, providerError } from '../../domain/errors.ts'
import type { UpstreamAnswer } from '../../domain/models/ports.ts'
import { join } from '../../domain/models/sse.ts'
import type { Sink, Streamed } from '../kit/operation.ts'
import type { OpenCall } from './open-call.ts'
import { relay } from './relay.ts'
import { send } from './send.ts'

const decoder = new TextDecoder()

/** Largest answer that is not a stream, in bytes. */
const maxAnswerBytes = 32 * 1024 * 1024

/** Calls the provider and passes its answer on; the call is settled with the last byte. @throws provider-error */
export async function answer(open: OpenCall): Promise<Streamed> {
  try {
    const response = await send(open)
    open.forgetRequest()
    if (response.type.startsWith('text/event-stream')) {
      return {
        status: 200,
        headers: headersOf(open, 'text/event-stream; charset=utf-8'),
        body: relay(open, response),
      }
    }
    const bytes = await whole(open, response)
    const headers = { ...headersOf(open, 'application/json'), 'Content-Length': String(bytes.length) }
    return { status: 200, headers, body: (to) => pour(open, bytes, to) }
  } catch (thrown) {
    open.abort()
    await open.finish('cut')
    throw thrown
  }
}

/** Nothing of the provider's headers goes out. */
const headersOf = (open: OpenCall, type: string): Record<string, string> => ({
  'Content-Type': type,
  'Cache-Control': 'no-cache, no-transform',
  'X-Berth-Call': open.facts.callId,
  'X-Berth-Model': open.model.id,
})

/** An answer that is one JSON document: read whole, so that a cut one is a clean error and costs nothing. */
async function whole(open: OpenCall, response: UpstreamAnswer): Promise<Uint8Array> {
  const bytes = await readAll(response)
  open.noteByte()
  if (open.meter.takeJson(decoder.decode(bytes))) return bytes
  throw new DomainError('provider-error', providerError().message, { details: { upstream: ['no usable answer'] } })
}

/** The settlement begins when the bytes have been written, and the response ends with it. */
async function pour(open: OpenCall, bytes: Uint8Array, to: Sink): Promise<void> {
  if (!to.destroyed) to.write(bytes)
  await open.finish('whole')
  to.end()
}

async function readAll({ read }: UpstreamAnswer): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  let size = 0
  const take = (part: Uint8Array): undefined => {
    size += part.length
    if (size > maxAnswerBytes) throw new RangeError('the answer is too large')
    parts.push(part)
  }
  await read(take).catch(() => {
    throw new DomainError('provider-error', providerError().message, { details: { upstream: ['cut off'] } })
  })
  return join(parts, size)
}
