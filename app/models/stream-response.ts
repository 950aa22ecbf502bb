import { blockedClientMs, drainMs, keepAliveMs } from '../../domain/models/call-limits.ts'
import { ProviderFailure } from '../../domain/models/refusal.ts'
import type { BilledCall } from './billed-call.ts'
import { callProvider } from './call-provider.ts'
import type { OpenEvents } from './open-answer.ts'
import type { ResponseSink } from './ports.ts'
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

/** Calls the provider and passes its answer on; a call that fails before its answer begins is settled here. @throws ProviderFailure */
export async function startResponse(billed: BilledCall): Promise<CallResponse> {
  try {
    const answer = await callProvider(billed)
    billed.answerBegan()
    const { stream } = billed.facts.call
    const headers = { 'Content-Type': stream ? 'text/event-stream; charset=utf-8' : 'application/json' }
    if (answer.kind === 'events') return { headers, write: (to) => streamEvents(billed, answer, to) }
    billed.noteByte()
    billed.answerEnded()
    const { bytes } = answer
    const length = String(bytes.length)
    return { headers: { ...headers, 'Content-Length': length }, write: (to) => writeWhole(billed, bytes, to) }
  } catch (thrown) {
    billed.abort()
    await settleCall(billed)
    throw thrown
  }
}

/**
 * Passes the provider's events to the client as they come, and ends the response when the call is settled. When the
 * client leaves, a provider that then stops is let go, and any other drained, and the call settled on what it reports.
 */
export async function streamEvents(
  billed: BilledCall,
  { read }: Pick<OpenEvents, 'read'>,
  to: ResponseSink,
): Promise<void> {
  const { meter } = billed
  const client = new Client(to, billed)
  billed.passOn()
  const { forward, failure } = await read(({ forward, failure }) => {
    billed.noteByte()
    const written = client.write(forward)
    if (failure) throw new ProviderFailure(failure, 'failed')
    return written
  }).then(
    () => meter.readEnd(),
    (thrown) => meter.readBreak(thrown instanceof ProviderFailure ? thrown.reason : 'cut-off'),
  )
  client.write(forward)
  if (failure) {
    billed.noteFailure(failure)
    client.fail()
  } else billed.answerEnded()
  if (failure || client.left) billed.abort()
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

/** The settlement begins when the bytes have been written, and the response ends with it. */
async function writeWhole(billed: BilledCall, bytes: Uint8Array, to: ResponseSink): Promise<void> {
  if (!to.destroyed) to.write(bytes)
  await settleCall(billed)
  to.end()
}
