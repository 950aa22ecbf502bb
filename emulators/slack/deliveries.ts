/** How the app hears of things: signed requests, and Slack's three tries again when one is not taken within three seconds. */
import { createHmac, randomBytes } from 'node:crypto'
import type { Faults } from './faults.ts'

/** Milliseconds after which an event that was not taken comes again: at once, after a minute, after five. */
export const retriesMs = [0, 60_000, 300_000]
const timeoutMs = 3_000

/** The value of the X-Slack-Signature header. `at` is seconds since 1970. */
export const sign = (body: string, signingSecret: string, at: number): string =>
  `v0=${createHmac('sha256', signingSecret).update(`v0:${at}:${body}`).digest('hex')}`

export interface Deliveries {
  /** Sends an event until it is taken or given up. `made` makes its body, with the id it comes under. */
  event(made: (eventId: string) => object): void
  /** Sends a form once, as commands and presses come. Answers the status, or null when nobody did. */
  form(fields: Record<string, string>): Promise<{ status: number; body: string } | null>
  /** Resolves when nothing is under way, other than what comes again later. */
  settled(): Promise<void>
  /** Events that were given up. */
  lost: number
  close(): Promise<void>
}

export interface DeliveryOptions {
  url: string
  signingSecret: string
  retriesMs: readonly number[]
  faults: Faults
  now: () => number
  log: (line: string) => void
}

const newEventId = () => `Ev${randomBytes(8).toString('hex').toUpperCase().slice(0, 11)}`

export function startDeliveries(options: DeliveryOptions): Deliveries {
  const { faults, log } = options
  const stop = new AbortController()
  const timers = new Set<NodeJS.Timeout>()
  const underWay = new Set<Promise<unknown>>()
  const waiting: (() => void)[] = []

  /** The answer, or why there is none. */
  async function post(contentType: string, body: string, headers: Record<string, string> = {}) {
    const at = Math.floor(options.now() / 1000)
    try {
      const response = await fetch(options.url, {
        method: 'POST',
        headers: {
          'content-type': contentType,
          'x-slack-request-timestamp': String(at),
          'x-slack-signature': sign(body, options.signingSecret, at),
          'user-agent': 'Slackbot 1.0 (+https://api.slack.com/robots)',
          ...headers,
        },
        body,
        redirect: 'manual',
        signal: AbortSignal.any([stop.signal, AbortSignal.timeout(timeoutMs)]),
      })
      return { status: response.status, body: await response.text() }
    } catch (error) {
      return error instanceof Error && error.name === 'TimeoutError' ? 'http_timeout' : 'connection_failed'
    }
  }

  async function attempt(made: (eventId: string) => object, eventId: string, tries: number, why: string) {
    const again: Record<string, string> =
      tries === 0 ? {} : { 'x-slack-retry-num': String(tries), 'x-slack-retry-reason': why }
    const id = tries > 0 && faults.newEventIds ? newEventId() : eventId
    const answer = await post('application/json', JSON.stringify(made(id)), again)
    if (stop.signal.aborted) return
    const taken = typeof answer === 'object' && answer.status >= 200 && answer.status < 300
    if (taken) return
    const reason = typeof answer === 'object' ? 'http_error' : answer
    log(`slack event ${id} not taken (try ${tries + 1}): ${typeof answer === 'object' ? answer.status : answer}`)
    const wait = options.retriesMs[tries]
    if (wait === undefined) deliveries.lost += 1
    else later(wait, () => track(attempt(made, eventId, tries + 1, reason)))
  }

  function later(ms: number, run: () => void): void {
    if (ms === 0) {
      run()
      return
    }
    const timer = setTimeout(() => {
      timers.delete(timer)
      run()
    }, ms)
    timer.unref()
    timers.add(timer)
  }

  function track(work: Promise<unknown>): void {
    underWay.add(work)
    void work.finally(() => underWay.delete(work))
  }

  function release(): void {
    if (waiting.length < faults.reordered) return
    for (const send of waiting.splice(0).reverse()) send()
  }

  const deliveries: Deliveries = {
    lost: 0,
    event(made) {
      const eventId = newEventId()
      waiting.push(() => {
        for (let i = 0; i <= faults.duplicates; i++)
          track(attempt(made, i > 0 && faults.newEventIds ? newEventId() : eventId, 0, ''))
      })
      release()
    },
    async form(fields) {
      const sending = post('application/x-www-form-urlencoded', new URLSearchParams(fields).toString())
      track(sending)
      const answer = await sending
      return typeof answer === 'object' ? answer : null
    },
    async settled() {
      while (underWay.size > 0) await Promise.all(underWay)
    },
    async close() {
      stop.abort()
      for (const timer of timers) clearTimeout(timer)
      await Promise.allSettled(underWay)
    },
  }
  return deliveries
}
