import { isEventStream } from '../../domain/models/answer-shape.ts'
import { blockedClientMs, drainMs, keepAliveMs, maxResponseBytes } from '../../domain/models/call-limits.ts'
import { providerFailed } from '../../domain/models/refusal.ts'
import { concatBytes } from '../../domain/models/sse.ts'
import type { BilledCall } from './billed-call.ts'
import { callProvider } from './call-provider.ts'
import { type PeekedAnswer, peekAnswer } from './peek-answer.ts'
import type { ResponseSink, UpstreamResponse } from './ports.ts'
import { settleCall } from './settle-call.ts'

const encoder = new TextEncoder()
/** One line, without a blank one after it: SDKs of OpenAI take a blank line for the end of an event, and parse its data. */
const keepAliveComment = encoder.encode(': waiting\n')
const endOfEvent = encoder.encode('\n\n')

/** A response that has begun. `write` ends when its bytes are written and its call is settled. */
interface CallResponse {
  headers: Record<string, string>
  write(to: ResponseSink): Promise<void>
}

/** Calls the provider and passes its response on; a call that fails before its first byte is settled here. @throws provider-error */
export async function startResponse(billed: BilledCall): Promise<CallResponse> {
  try {
    const response = await callProvider(billed)
    billed.answerBegan()
    const answer = peekAnswer(response)
    const { stream } = billed.facts.call
    const headers = { 'Content-Type': stream ? 'text/event-stream; charset=utf-8' : 'application/json' }
    if (stream && (await comesAsEvents(answer, response.type)))
      return { headers, write: (to) => streamEvents(billed, answer, to) }
    const bytes = await readWhole(billed, answer)
    const length = String(bytes.length)
    return { headers: { ...headers, 'Content-Length': length }, write: (to) => writeWhole(billed, bytes, to) }
  } catch (thrown) {
    billed.abort()
    await settleCall(billed)
    throw thrown
  }
}

/**
 * Whether an answer is a stream. One that says so by its type is taken at its word once a client would wait too long for
 * the first sign of life.
 */
async function comesAsEvents({ shape }: PeekedAnswer, type: string): Promise<boolean> {
  if (!isEventStream(type)) return (await shape) === 'events'
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), keepAliveMs)
  })
  const known = await Promise.race([shape, late])
  clearTimeout(timer)
  return known !== 'json'
}

/**
 * Passes the provider's events to the client as they come, and ends the response when the call is settled. When the
 * client leaves, a provider that then stops is let go, and any other drained, and the call settled on what it reports.
 */
export async function streamEvents(
  billed: BilledCall,
  { read }: Pick<UpstreamResponse, 'read'>,
  to: ResponseSink,
): Promise<void> {
  const { meter } = billed
  const client = new Client(to, billed)
  const { forward, failed } = await read((chunk) => {
    billed.noteByte()
    const { forward, failed } = meter.readChunk(chunk)
    const written = client.write(forward)
    if (failed) throw new Error('the provider reported an error of its own')
    return written
  }).then(
    () => meter.readEnd(),
    () => meter.readBreak(),
  )
  client.write(forward)
  if (failed) client.fail()
  else billed.answerEnded()
  if (failed || client.left) billed.abort()
  client.close()
  await settleCall(billed)
  to.end()
}

/** The client behind a response: it may be slow, or gone. */
class Client {
  left = false
  readonly #to: ResponseSink
  readonly #billed: BilledCall
  /** Runs out at a silence that needs a comment; once the client has left, at one after which the provider is let go. */
  #silence: NodeJS.Timeout
  #blocked = false

  constructor(to: ResponseSink, billed: BilledCall) {
    this.#to = to
    this.#billed = billed
    this.#silence = setInterval(() => this.#keepAlive(), keepAliveMs)
    if (to.destroyed) this.#leave()
    else to.on('close', this.#leave)
  }

  /** Nothing for a client that has left; a promise when a slow one must be waited for. */
  write(bytes: Uint8Array): Promise<void> | undefined {
    // a client hears nothing of bytes that make no event of its own
    if (this.left || bytes.length > 0) this.#silence.refresh()
    if (this.left || this.#to.destroyed || bytes.length === 0 || this.#to.write(bytes)) return undefined
    return this.#drained()
  }

  /** Tells the client that its stream failed. */
  fail(): void {
    const { meter, facts } = this.#billed
    if (meter.isWithinEvent) this.write(endOfEvent)
    this.write(encoder.encode(facts.format.errorEvent))
  }

  close(): void {
    clearTimeout(this.#silence)
    this.#to.off('close', this.#leave)
  }

  #keepAlive(): void {
    if (!this.#blocked && !this.#billed.meter.isWithinEvent) this.write(keepAliveComment)
  }

  #leave = (): void => {
    this.left = true
    clearTimeout(this.#silence)
    this.#silence = setTimeout(() => this.#billed.cutOff(), this.#billed.stopsUnread ? 0 : drainMs)
  }

  /** Until the client has taken what was written, or has left. */
  async #drained(): Promise<void> {
    this.#blocked = true
    const timeout = setTimeout(() => this.#to.destroy(), blockedClientMs)
    await new Promise<void>((resolve) => {
      const done = () => {
        this.#to.off('drain', done)
        this.#to.off('close', done)
        resolve()
      }
      this.#to.on('drain', done)
      this.#to.on('close', done)
    })
    clearTimeout(timeout)
    this.#blocked = false
  }
}

/** An answer that is not passed on as it comes: read whole, so that a cut one is a clean error and costs nothing. */
async function readWhole(billed: BilledCall, { read }: Pick<UpstreamResponse, 'read'>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let size = 0
  const keep = (chunk: Uint8Array): undefined => {
    size += chunk.length
    if (size > maxResponseBytes) throw new RangeError('the response is too large')
    chunks.push(chunk)
  }
  const broken = await read(keep).then(
    () => false,
    (thrown) => {
      // it is we who take no more of it
      if (thrown instanceof RangeError) billed.cutOff()
      return true
    },
  )
  if (billed.signal.aborted) throw providerFailed('cut off')
  billed.noteByte()
  const shown = showWhole(billed, concatBytes(chunks))
  // an answer that can be read is whole, however its connection ended
  if (!shown) throw providerFailed(broken ? 'cut off' : 'no usable answer')
  billed.answerEnded()
  return shown
}

function showWhole({ meter, facts }: BilledCall, bytes: Uint8Array): Uint8Array | null {
  try {
    return meter.readWhole(bytes, facts.call.stream)
  } catch {
    // the provider broke the rules of its format
    return null
  }
}

/** The settlement begins when the bytes have been written, and the response ends with it. */
async function writeWhole(billed: BilledCall, bytes: Uint8Array, to: ResponseSink): Promise<void> {
  if (!to.destroyed) to.write(bytes)
  await settleCall(billed)
  to.end()
}
