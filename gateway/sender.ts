import { createHmac } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from './log.ts'
import type { Settings } from './settings.ts'

export interface Heard {
  t: 'MESSAGE_CREATE' | 'MESSAGE_UPDATE' | 'CHANNEL_DELETE'
  d: Readonly<Record<string, unknown>>
  /** ms since 1970. */
  at: number
  title?: string | undefined
  roles: readonly string[]
}

interface Waiting {
  event: Heard
  tries: number
  /** Total of accepted events when it first failed. */
  takenBefore: number
}

/** Events in one request, and the pause between requests, ms: one address may make 3,000 in five minutes. */
const atOnce = 20
const pauseMs = 200
/** Maximum queue; beyond that the oldest events are dropped. */
const most = 10_000
/** An event that fails this often while others succeed is dropped. */
const mostTries = 8
const longestPauseMs = 30_000
const timeoutMs = 20_000

/** Sends events in order; while the service is down, all wait. An event that fails while others succeed is dropped. */
export class Sender {
  readonly #settings: Settings
  readonly #log: Log
  readonly #signal: AbortSignal
  #waiting: Waiting[] = []
  #taken = 0
  #failures = 0
  #probing = false
  #running: Promise<void> | null = null
  self: string

  constructor(settings: Settings, log: Log, signal: AbortSignal) {
    this.#settings = settings
    this.#log = log
    this.#signal = signal
    this.self = settings.applicationId
  }

  add(event: Heard): void {
    this.#waiting.push({ event, tries: 0, takenBefore: 0 })
    if (this.#waiting.length > most) {
      this.#waiting.shift()
      this.#log('the oldest of too many events that wait for the webhook is given up')
    }
    this.#running ??= this.#run()
  }

  async drained(): Promise<void> {
    await this.#running
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0 && !this.#signal.aborted) {
      const batch = this.#next()
      const problem = await this.#post(batch.map(({ event }) => event))
      if (problem === null) this.#settle(batch)
      else this.#fail(batch, problem)
      const failing = problem === null ? 0 : Math.min(longestPauseMs, 500 * 2 ** Math.min(this.#failures, 10))
      await sleep(Math.max(pauseMs, failing) * this.#settings.pace, undefined, { signal: this.#signal }).catch(() => {})
    }
    this.#running = null
  }

  /** A failed event is sent alone, then another chat's event: this shows whether the event or the service fails. */
  #next(): Waiting[] {
    const [head] = this.#waiting
    if (!head || head.tries === 0) return this.#waiting.slice(0, atOnce).filter(({ tries }) => tries === 0)
    const channelOf = ({ event: { d } }: Waiting) => d.channel_id ?? d.id
    this.#probing = !this.#probing && head.tries > 1
    const other = this.#probing && this.#waiting.find((each) => channelOf(each) !== channelOf(head))
    return [other || head]
  }

  #settle(batch: readonly Waiting[]): void {
    this.#waiting = this.#waiting.filter((each) => !batch.includes(each))
    this.#taken += batch.length
    this.#failures = 0
  }

  #fail(batch: readonly Waiting[], problem: string): void {
    this.#failures += 1
    this.#log(`${batch.length} events were not taken by the webhook: ${problem}`)
    for (const each of batch) {
      if (each.tries === 0) each.takenBefore = this.#taken
      each.tries += 1
    }
    const [first] = batch
    if (!first || first.tries < mostTries || this.#taken === first.takenBefore) return
    this.#waiting = this.#waiting.filter((each) => each !== first)
    this.#log('an event is given up: the webhook takes others')
  }

  /** Null on success, else the reason. */
  async #post(events: readonly Heard[]): Promise<string | null> {
    const { applicationId, gatewayKey, webhookUrl } = this.#settings
    const body = JSON.stringify({ application_id: applicationId, self: this.self, events })
    const seconds = String(Math.floor(Date.now() / 1000))
    try {
      const answer = await fetch(webhookUrl, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'user-agent': 'discord-gateway',
          'x-gateway-timestamp': seconds,
          'x-gateway-signature': createHmac('sha256', gatewayKey).update(`${seconds}.${body}`).digest('hex'),
        },
        body,
        redirect: 'manual',
        signal: AbortSignal.any([this.#signal, AbortSignal.timeout(timeoutMs)]),
      })
      await answer.body?.cancel()
      return answer.ok ? null : `status ${answer.status}`
    } catch (error) {
      return error instanceof Error ? error.name : 'no answer'
    }
  }
}
