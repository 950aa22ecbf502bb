import type { UpstreamAnswer } from '../../domain/models/ports.ts'
import { minuteMs, secondMs } from '../../domain/time.ts'
import type { Pour, Sink } from '../kit/operation.ts'
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

/**
 * Passes the provider's events to the client as they come, and ends the response when the call is settled. When the
 * client leaves the provider is drained, and the call settled on what it reports.
 */
export const relay =
  (open: OpenCall, { read }: Pick<UpstreamAnswer, 'read'>, patient = patience): Pour =>
  async (to) => {
    const { meter } = open
    const { call, dialect } = open.facts
    const client = new Client(to, open, patient)
    const take = (chunk: Uint8Array): Promise<void> | undefined => {
      open.noteByte()
      const { forward, failed } = meter.take(chunk, call.hidesUsage)
      const written = client.write(forward)
      if (failed) throw new Error('the provider reported an error of its own')
      return written
    }
    const whole = await read(take).then(
      () => {
        const rest = meter.end(call.hidesUsage)
        client.write(rest.forward)
        return !rest.failed
      },
      () => false,
    )
    if (!whole) client.write(encoder.encode(dialect.errorEvent))
    if (!whole || client.left) open.abort()
    client.done()
    await open.finish(client.left ? 'left' : whole ? 'whole' : 'cut')
    to.end()
  }

/** The response as seen from the provider's side: it may be slow, or gone. */
class Client {
  left = false
  readonly #to: Sink
  readonly #open: OpenCall
  readonly #patience: Patience
  /** Of the silence that ends in a comment, and once the client has left of that in which the provider is let go. */
  #quiet: NodeJS.Timeout
  #blocked = false

  constructor(to: Sink, open: OpenCall, patience: Patience) {
    this.#to = to
    this.#open = open
    this.#patience = patience
    this.#quiet = setInterval(() => this.#blocked || this.write(comment), patience.silenceMs)
    if (to.destroyed) this.#leave()
    else to.once('close', this.#leave)
  }

  /** Nothing for a client that has left; a promise when a slow one must be waited for. */
  write(bytes: Uint8Array): Promise<void> | undefined {
    this.#quiet.refresh()
    if (this.left || this.#to.destroyed || bytes.length === 0 || this.#to.write(bytes)) return undefined
    return this.#taken()
  }

  done(): void {
    clearTimeout(this.#quiet)
    this.#to.off('close', this.#leave)
  }

  #leave = (): void => {
    this.left = true
    clearTimeout(this.#quiet)
    this.#quiet = setTimeout(() => this.#open.abort(), this.#patience.drainMs)
  }

  /** Until the client has taken what was written, or has left. */
  async #taken(): Promise<void> {
    this.#blocked = true
    const gone = setTimeout(() => this.#to.destroy(), this.#patience.blockedMs)
    await new Promise<void>((resolve) => {
      const go = () => {
        this.#to.off('drain', go)
        this.#to.off('close', go)
        resolve()
      }
      this.#to.on('drain', go)
      this.#to.on('close', go)
    })
    clearTimeout(gone)
    this.#blocked = false
  }
}
