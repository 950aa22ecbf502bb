/** Delivers updates to the webhook: those of a chat in order, again and again until it answers 2xx. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Update, WebhookInfo } from '@grammyjs/types'
import { nowSeconds } from './world.ts'

/** Milliseconds. The wait doubles with each try; after a day Telegram forgets an update. */
const FIRST_RETRY = 1_000
const LONGEST_RETRY = 60_000
const TIMEOUT = 60_000
const GIVE_UP = 24 * 60 * 60_000

interface WebhookSettings {
  url: string
  secretToken: string | undefined
  allowedUpdates: string[] | undefined
}

/** How deliveries go wrong, for tests. */
export interface DeliveryFaults {
  /** How often each update is delivered; default 1. */
  times: number
  /** Each delivery after the first has an update_id of its own, as no retry of Telegram has. */
  newIds: boolean
  /** This many updates wait for each other and come in reverse. */
  reorder: number
}

interface Pending {
  update: Update
  lane: number
  since: number
  tries: number
  /** Milliseconds since the epoch. */
  nextAt: number
}

/** An update without its id, which it gets when it is queued. */
export type News = Omit<Update, 'update_id'>

interface WebhookOptions {
  settings: WebhookSettings
  log: (line: string) => void
  /** Calls the method that the webhook's answer names. */
  onAnswer: (answer: { method: string; [parameter: string]: unknown }) => Promise<void>
  /** Milliseconds before the second try; default 1000. */
  firstRetryMs?: number
}

export class Webhook {
  settings: WebhookSettings
  readonly faults: DeliveryFaults = { times: 1, newIds: false, reorder: 0 }
  readonly #options: WebhookOptions
  readonly #stop = new AbortController()
  readonly #lanes = new Map<number, Promise<void>>()
  #pending: Pending[] = []
  #held: Pending[] = []
  #nextId = nowSeconds()
  #lastError: { at: number; message: string } | undefined

  constructor(options: WebhookOptions) {
    this.settings = options.settings
    this.#options = options
  }

  /** Queues what happened. @param lane the chat, within which order is kept */
  emit(lane: number, news: News): Update {
    const { settings, faults } = this
    const update = { update_id: this.#nextId++, ...news }
    const [kind = ''] = Object.keys(news)
    if (!settings.url || (settings.allowedUpdates?.length && !settings.allowedUpdates.includes(kind))) return update
    for (let time = 0; time < faults.times; time += 1) {
      const again = time > 0 && faults.newIds ? { ...update, update_id: this.#nextId++ } : update
      this.#held.push({ update: again, lane, since: Date.now(), tries: 0, nextAt: 0 })
    }
    if (this.#held.length < faults.reorder) return update
    this.#pending.push(...(faults.reorder > 0 ? this.#held.reverse() : this.#held))
    this.#held = []
    for (const update of this.#pending) this.#run(update.lane)
    return update
  }

  info(): WebhookInfo {
    const { url, allowedUpdates } = this.settings
    return {
      url,
      has_custom_certificate: false,
      pending_update_count: this.#pending.length + this.#held.length,
      max_connections: 40,
      // safe because nothing else was let in
      ...(allowedUpdates && { allowed_updates: allowedUpdates as Exclude<keyof Update, 'update_id'>[] }),
      ...(this.#lastError && { last_error_date: this.#lastError.at, last_error_message: this.#lastError.message }),
    }
  }

  forget(): void {
    this.#pending = []
    this.#held = []
  }

  /** Resolves when all is delivered. */
  async settled(): Promise<void> {
    while (this.#lanes.size > 0) await Promise.all(this.#lanes.values())
  }

  async close(): Promise<void> {
    this.#stop.abort()
    await Promise.all(this.#lanes.values())
  }

  #run(lane: number): void {
    if (this.#lanes.has(lane)) return
    this.#lanes.set(
      lane,
      this.#deliverLane(lane).finally(() => this.#lanes.delete(lane)),
    )
  }

  async #deliverLane(lane: number): Promise<void> {
    const { signal } = this.#stop
    for (;;) {
      const next = this.#pending.find((update) => update.lane === lane)
      if (!next || signal.aborted) return
      if (next.nextAt > Date.now()) await sleep(next.nextAt - Date.now(), undefined, { signal }).catch(() => {})
      if (signal.aborted) return
      await this.#attempt(next)
    }
  }

  async #attempt(next: Pending): Promise<void> {
    const problem = await this.#post(next.update)
    if (this.#stop.signal.aborted) return
    const { log, firstRetryMs = FIRST_RETRY } = this.#options
    next.tries += 1
    next.nextAt = Date.now() + Math.min(LONGEST_RETRY, firstRetryMs * 2 ** (next.tries - 1))
    if (problem === undefined || Date.now() - next.since > GIVE_UP)
      this.#pending = this.#pending.filter((update) => update !== next)
    if (problem === undefined) return
    this.#lastError = { at: nowSeconds(), message: `Wrong response from the webhook: ${problem}` }
    log(`telegram update ${next.update.update_id} not taken (try ${next.tries}): ${problem}`)
  }

  /** Undefined when taken, else why not. */
  async #post(update: Update): Promise<string | undefined> {
    const { url, secretToken } = this.settings
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(secretToken !== undefined && { 'x-telegram-bot-api-secret-token': secretToken }),
        },
        body: JSON.stringify(update),
        redirect: 'manual',
        signal: AbortSignal.any([this.#stop.signal, AbortSignal.timeout(TIMEOUT)]),
      })
      const text = await response.text()
      if (!response.ok) return `${response.status} ${response.statusText}`
      const answer = methodOf(text)
      if (answer) await this.#options.onAnswer(answer)
      return undefined
    } catch (error) {
      return error instanceof Error ? error.message : String(error)
    }
  }
}

function methodOf(text: string): { method: string } | undefined {
  try {
    const answer: unknown = JSON.parse(text)
    const named = typeof answer === 'object' && answer !== null && 'method' in answer
    // safe because what has a method is a call
    return named && typeof answer.method === 'string' ? (answer as { method: string }) : undefined
  } catch {
    return undefined
  }
}
