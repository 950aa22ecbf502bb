import { createHmac } from 'node:crypto'
import { toJson } from './api/json.ts'
import { list, type Route, retrieve, same, text } from './api/route.ts'
import { API_VERSION, type StripeEvent } from './records.ts'
import { newId, nowSeconds, type Store } from './store.ts'

/** Milliseconds: the wait before try n is FIRST_RETRY × 2ⁿ, at most LONGEST_RETRY; one try lasts at most TIMEOUT. */
const FIRST_RETRY = 1_000
const LONGEST_RETRY = 60_000
const TIMEOUT = 10_000
/** Stripe gives up after three days. */
const GIVE_UP = 3 * 24 * 60 * 60_000
const EVENTS_KEPT = 500

/** The value of the Stripe-Signature header. `at` is seconds since the epoch. */
function sign(payload: string, secret: string, at: number): string {
  return `t=${at},v1=${createHmac('sha256', secret).update(`${at}.${payload}`).digest('hex')}`
}

export function eventRoutes({ value }: Store): Route[] {
  return [
    retrieve('/v1/events', 'event', value.events),
    list('/v1/events', value.events, { type: text }, (event, { type }) => same(type, event.type)),
  ]
}

/** The one endpoint that events go to, as the API shows it. */
export function endpointRoutes(url: string, events: readonly string[]): Route[] {
  const endpoint = {
    id: 'we_local',
    object: 'webhook_endpoint',
    api_version: API_VERSION,
    created: 0,
    description: null,
    enabled_events: events,
    livemode: false,
    metadata: {},
    status: 'enabled',
    url,
  }
  const all = { [endpoint.id]: endpoint }
  return [
    retrieve('/v1/webhook_endpoints', 'webhook endpoint', all),
    list('/v1/webhook_endpoints', all, {}, () => true),
  ]
}

interface WebhookOptions {
  store: Store
  url: string
  secret: string
  /** Types that the endpoint is sent; `*` is all. */
  events: readonly string[]
  log: (line: string) => void
}

/** Delivers signed events to `url`, again and again until it answers 2xx; what waits survives a restart. */
export class Webhooks {
  readonly #options: WebhookOptions
  readonly #stop = new AbortController()
  #timer: NodeJS.Timeout | undefined
  #running: Promise<void> = Promise.resolve()

  constructor(options: WebhookOptions) {
    this.#options = options
    this.#schedule()
  }

  /** Makes an event and queues it; the caller saves the store, and then calls `deliver`. */
  emit(type: string, object: { id: string; object: string }, previous?: object): StripeEvent {
    const event: StripeEvent = {
      id: newId('evt'),
      object: 'event',
      api_version: API_VERSION,
      created: nowSeconds(),
      // A copy: later changes of the object are not part of what happened.
      data: { object: JSON.parse(toJson(object)), ...(previous ? { previous_attributes: previous } : {}) },
      livemode: false,
      pending_webhooks: 1,
      request: { id: null, idempotency_key: null },
      type,
    }
    const { value } = this.#options.store
    value.events[event.id] = event
    for (const old of Object.keys(value.events).slice(0, -EVENTS_KEPT)) delete value.events[old]
    if (!this.#options.events.includes('*') && !this.#options.events.includes(type)) return event
    const payload = JSON.stringify(event, null, 2)
    value.deliveries.push({ eventId: event.id, payload, attempts: 0, nextAt: Date.now(), since: Date.now() })
    return event
  }

  /** Sends what is due, in order. Resolves after one try of each, or after `TIMEOUT`. */
  async deliver(): Promise<void> {
    this.#running = this.#running.then(() => this.#deliverDue())
    await Promise.race([this.#running, new Promise((resolve) => setTimeout(resolve, TIMEOUT).unref())])
  }

  async close(): Promise<void> {
    this.#stop.abort()
    clearTimeout(this.#timer)
    await this.#running
  }

  async #deliverDue(): Promise<void> {
    const { value } = this.#options.store
    const due = value.deliveries.filter(({ nextAt }) => nextAt <= Date.now()).map(({ eventId }) => eventId)
    for (const eventId of due) await this.#attempt(eventId)
    this.#schedule()
  }

  async #attempt(eventId: string): Promise<void> {
    const { store, log } = this.#options
    const delivery = store.value.deliveries.find((queued) => queued.eventId === eventId)
    if (!delivery || this.#stop.signal.aborted) return
    const problem = await this.#post(delivery.payload)
    if (this.#stop.signal.aborted) return
    delivery.attempts += 1
    delivery.nextAt = Date.now() + Math.min(LONGEST_RETRY, FIRST_RETRY * 2 ** (delivery.attempts - 1))
    const over = problem === undefined || Date.now() - delivery.since > GIVE_UP
    if (over) store.value.deliveries = store.value.deliveries.filter((queued) => queued !== delivery)
    store.save()
    if (problem) log(`webhook ${eventId} not taken (try ${delivery.attempts}): ${problem}`)
  }

  /** Undefined when taken, else why not. */
  async #post(payload: string): Promise<string | undefined> {
    try {
      const response = await fetch(this.#options.url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json; charset=utf-8',
          'stripe-signature': sign(payload, this.#options.secret, nowSeconds()),
          'user-agent': 'Stripe/1.0 (emulator)',
        },
        body: payload,
        redirect: 'manual',
        signal: AbortSignal.any([this.#stop.signal, AbortSignal.timeout(TIMEOUT)]),
      })
      await response.body?.cancel()
      return response.ok ? undefined : `status ${response.status}`
    } catch (error) {
      return error instanceof Error ? error.message : String(error)
    }
  }

  #schedule(): void {
    clearTimeout(this.#timer)
    const { deliveries } = this.#options.store.value
    if (this.#stop.signal.aborted || deliveries.length === 0) return
    const next = Math.min(...deliveries.map(({ nextAt }) => nextAt))
    this.#timer = setTimeout(() => void this.deliver(), Math.max(50, next - Date.now()))
    this.#timer.unref()
  }
}
