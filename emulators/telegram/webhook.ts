/** Delivers updates to the webhook: those of a chat in order, again and again until it answers 2xx. */
import type { Update, WebhookInfo } from '@grammyjs/types'
import { nowSeconds } from './world.ts'

/** Milliseconds. The wait doubles with each try; after a day Telegram forgets an update. */
const FIRST_RETRY = 1_000
const LONGEST_RETRY = 60_000
const TIMEOUT = 60_000
const GIVE_UP = 24 * 60 * 60_000

export interface WebhookSettings {
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

export interface Webhook {
  settings: WebhookSettings
  faults: DeliveryFaults
  /** Queues what happened. @param lane the chat, within which order is kept */
  emit(lane: number, news: News): Update
  info(): WebhookInfo
  forget(): void
  /** Resolves when all is delivered. */
  settled(): Promise<void>
  close(): Promise<void>
}

export function startWebhook(options: {
  settings: WebhookSettings
  log: (line: string) => void
  /** Calls the method that the webhook's answer names. */
  onAnswer: (answer: { method: string; [parameter: string]: unknown }) => Promise<void>
  /** Milliseconds before the second try; default 1000. */
  firstRetryMs?: number
}): Webhook {
  const { log, onAnswer, firstRetryMs = FIRST_RETRY } = options
  const stop = new AbortController()
  const lanes = new Map<number, Promise<void>>()
  let pending: Pending[] = []
  let held: Pending[] = []
  let nextId = nowSeconds()
  let lastError: { at: number; message: string } | undefined

  const webhook: Webhook = {
    settings: options.settings,
    faults: { times: 1, newIds: false, reorder: 0 },
    emit(lane, news) {
      const update = { update_id: nextId, ...news }
      nextId += 1
      const { settings, faults } = webhook
      const [kind = ''] = Object.keys(news)
      if (!settings.url || (settings.allowedUpdates?.length && !settings.allowedUpdates.includes(kind))) return update
      for (let time = 0; time < faults.times; time += 1) {
        const again = time > 0 && faults.newIds ? { ...update, update_id: nextId++ } : update
        held.push({ update: again, lane, since: Date.now(), tries: 0, nextAt: 0 })
      }
      if (held.length < faults.reorder) return update
      pending.push(...(faults.reorder > 0 ? held.reverse() : held))
      held = []
      for (const update of pending) run(update.lane)
      return update
    },
    info: () => ({
      url: webhook.settings.url,
      has_custom_certificate: false,
      pending_update_count: pending.length + held.length,
      max_connections: 40,
      ...(webhook.settings.allowedUpdates && {
        // safe because nothing else was let in
        allowed_updates: webhook.settings.allowedUpdates as Exclude<keyof Update, 'update_id'>[],
      }),
      ...(lastError && { last_error_date: lastError.at, last_error_message: lastError.message }),
    }),
    forget() {
      pending = []
      held = []
    },
    async settled() {
      while (lanes.size > 0) await Promise.all(lanes.values())
    },
    async close() {
      stop.abort()
      await Promise.all(lanes.values())
    },
  }

  function run(lane: number): void {
    if (lanes.has(lane)) return
    const running = deliverLane(lane).finally(() => lanes.delete(lane))
    lanes.set(lane, running)
  }

  async function deliverLane(lane: number): Promise<void> {
    for (;;) {
      const next = pending.find((update) => update.lane === lane)
      if (!next || stop.signal.aborted) return
      if (next.nextAt > Date.now()) await pause(next.nextAt - Date.now())
      if (stop.signal.aborted) return
      await attempt(next)
    }
  }

  async function attempt(next: Pending): Promise<void> {
    const problem = await post(next.update)
    if (stop.signal.aborted) return
    next.tries += 1
    next.nextAt = Date.now() + Math.min(LONGEST_RETRY, firstRetryMs * 2 ** (next.tries - 1))
    if (problem === undefined || Date.now() - next.since > GIVE_UP)
      pending = pending.filter((update) => update !== next)
    if (problem === undefined) return
    lastError = { at: nowSeconds(), message: `Wrong response from the webhook: ${problem}` }
    log(`telegram update ${next.update.update_id} not taken (try ${next.tries}): ${problem}`)
  }

  /** Undefined when taken, else why not. */
  async function post(update: Update): Promise<string | undefined> {
    const { url, secretToken } = webhook.settings
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(secretToken !== undefined && { 'x-telegram-bot-api-secret-token': secretToken }),
        },
        body: JSON.stringify(update),
        redirect: 'manual',
        signal: AbortSignal.any([stop.signal, AbortSignal.timeout(TIMEOUT)]),
      })
      const text = await response.text()
      if (!response.ok) return `${response.status} ${response.statusText}`
      const answer = methodOf(text)
      if (answer) await onAnswer(answer)
      return undefined
    } catch (error) {
      return error instanceof Error ? error.message : String(error)
    }
  }

  const pause = (ms: number) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(done, ms)
      stop.signal.addEventListener('abort', done, { once: true })
      function done() {
        clearTimeout(timer)
        stop.signal.removeEventListener('abort', done)
        resolve()
      }
    })

  return webhook
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
