/** How the app hears of things: signed requests, and Slack's three tries again when one is not taken within three seconds. */
import { createHmac, randomBytes } from 'node:crypto'
import type { Faults } from './faults.ts'

/** Milliseconds after which an event that was not taken comes again: at once, after a minute, after five. */
export const retriesMs = [0, 60_000, 300_000]
const timeoutMs = 3_000

/** The value of the X-Slack-Signature header. `at` is seconds since 1970. */
export const sign = (body: string, signingSecret: string, at: number): string =>
  `v0=${createHmac('sha256', signingSecret).update(`v0:${at}:${body}`).digest('hex')}`

interface DeliveryOptions {
  url: string
  signingSecret: string
  retriesMs: readonly number[]
  faults: Faults
  now: () => number
  log: (line: string) => void
}

export interface Answer {
  status: number
  body: string
}

/** Makes the body of an event, with the id it comes under. */
type MakeEvent = (eventId: string) => object

const newEventId = () => `Ev${randomBytes(8).toString('hex').toUpperCase().slice(0, 11)}`

export class Deliveries {
  /** Events that were given up. */
  lost = 0
  readonly #options: DeliveryOptions
  readonly #stop = new AbortController()
  readonly #timers = new Set<NodeJS.Timeout>()
  readonly #underWay = new Set<Promise<unknown>>()
  readonly #waiting: (() => void)[] = []

  constructor(options: DeliveryOptions) {
    this.#options = options
  }

  /** Sends an event until it is taken or given up. */
  event(made: MakeEvent): void {
    const { faults } = this.#options
    const eventId = newEventId()
    this.#waiting.push(() => {
      for (let i = 0; i <= faults.duplicates; i++)
        this.#track(this.#attempt(made, i > 0 && faults.newEventIds ? newEventId() : eventId, 0, ''))
    })
    if (this.#waiting.length < faults.reordered) return
    for (const send of this.#waiting.splice(0).reverse()) send()
  }

  /** Sends a form once, as commands and presses come. Null when nobody answered. */
  async form(fields: Record<string, string>): Promise<Answer | null> {
    const sending = this.#post('application/x-www-form-urlencoded', new URLSearchParams(fields).toString())
    this.#track(sending)
    const answer = await sending
    return typeof answer === 'object' ? answer : null
  }

  /** Resolves when nothing is under way, other than what comes again later. */
  async settled(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay)
  }

  async close(): Promise<void> {
    this.#stop.abort()
    for (const timer of this.#timers) clearTimeout(timer)
    await Promise.allSettled(this.#underWay)
  }

  async #attempt(made: MakeEvent, eventId: string, tries: number, why: string): Promise<void> {
    const { faults, log, retriesMs } = this.#options
    const again: Record<string, string> =
      tries === 0 ? {} : { 'x-slack-retry-num': String(tries), 'x-slack-retry-reason': why }
    const id = tries > 0 && faults.newEventIds ? newEventId() : eventId
    const answer = await this.#post('application/json', JSON.stringify(made(id)), again)
    if (this.#stop.signal.aborted) return
    const taken = typeof answer === 'object' && answer.status >= 200 && answer.status < 300
    if (taken) return
    const reason = typeof answer === 'object' ? 'http_error' : answer
    log(`slack event ${id} not taken (try ${tries + 1}): ${typeof answer === 'object' ? answer.status : answer}`)
    const wait = retriesMs[tries]
    if (wait === undefined) this.lost += 1
    else this.#later(wait, () => this.#track(this.#attempt(made, eventId, tries + 1, reason)))
  }

  /** The answer, or why there is none. */
  async #post(contentType: string, body: string, headers: Record<string, string> = {}): Promise<Answer | string> {
    const { url, signingSecret, now } = this.#options
    const at = Math.floor(now() / 1000)
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: {
          'content-type': contentType,
          'x-slack-request-timestamp': String(at),
          'x-slack-signature': sign(body, signingSecret, at),
          'user-agent': 'Slackbot 1.0 (+https://api.slack.com/robots)',
          ...headers,
        },
        body,
        redirect: 'manual',
        signal: AbortSignal.any([this.#stop.signal, AbortSignal.timeout(timeoutMs)]),
      })
      return { status: response.status, body: await response.text() }
    } catch (error) {
      return error instanceof Error && error.name === 'TimeoutError' ? 'http_timeout' : 'connection_failed'
    }
  }

  #later(ms: number, run: () => void): void {
    if (ms === 0) {
      run()
      return
    }
    const timer = setTimeout(() => {
      this.#timers.delete(timer)
      run()
    }, ms).unref()
    this.#timers.add(timer)
  }

  #track(work: Promise<unknown>): void {
    this.#underWay.add(work)
    void work.finally(() => this.#underWay.delete(work))
  }
}
