import { blockedClientMs, drainMs, keepAliveMs } from '../../domain/models/call-limits.ts'
import { ProviderFailure } from '../../domain/models/provider-refusal.ts'
import type { ResponseSink } from '../ports/models.ts'
import type { BilledCall } from './billed-call.ts'
import { callProvider } from './call-provider.ts'
import type { OpenEvents } from './open-answer.ts'
import { settleCall } from './settle-call.ts'

const encoder = new TextEncoder()
/** No blank line follows the comment: OpenAI's SDKs take a blank line for the end of an event, and parse its data. */
const keepAliveComment = encoder.encode(': waiting\n')
const endOfEvent = encoder.encode('\n\n')

/** `write` resolves when the bytes are written and the call is settled. */
interface CallResponse {
  headers: Record<string, string>
  write(to: ResponseSink): Promise<void>
}

/** A call that fails before its answer begins is settled here. @throws ProviderFailure */
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
 * The response ends after the settlement. When the client leaves, the provider is disconnected if that stops its
 * billing; otherwise its answer is read to the end for its usage.
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

class Client {
  left = false
  readonly #to: ResponseSink
  readonly #billed: BilledCall
  /** Fires after a silence that needs a comment; once the client has left, when the provider is to be disconnected. */
  #silence: NodeJS.Timeout
  #blocked = false

  constructor(to: ResponseSink, billed: BilledCall) {
    this.#to = to
    this.#billed = billed
    this.#silence = setInterval(() => this.#keepAlive(), keepAliveMs)
    if (to.destroyed) this.#leave()
    else to.on('close', this.#leave)
  }

  /** A promise when the caller must wait for a slow client. */
  write(bytes: Uint8Array): Promise<void> | undefined {
    // Bytes that complete no event send nothing, so they do not end the client's silence.
    if (this.left || bytes.length > 0) this.#silence.refresh()
    if (this.left || this.#to.destroyed || bytes.length === 0 || this.#to.write(bytes)) return undefined
    return this.#drained()
  }

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

/** The response ends only after the settlement. */
async function writeWhole(billed: BilledCall, bytes: Uint8Array, to: ResponseSink): Promise<void> {
  if (!to.destroyed) to.write(bytes)
  await settleCall(billed)
  to.end()
}
