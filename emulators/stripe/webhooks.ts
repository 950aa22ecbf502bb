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

export interface Webhooks {
  /** Makes an event and queues it; the caller saves the store, and then calls `deliver`. */
  emit(type: string, object: { id: string; object: string }, previous?: object): StripeEvent
  /** Sends what is due, in order. Resolves after one try of each, or after `TIMEOUT`. */
  deliver(): Promise<void>
  close(): Promise<void>
}

/** The value of the Stripe-Signature header. `at` is seconds since the epoch. */
export function sign(payload: string, secret: string, at: number): string {
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

/** Delivers signed events to `url`, again and again until it answers 2xx; what waits survives a restart. */
export function startWebhooks(options: {
  store: Store
  url: string
  secret: string
  /** Types that the endpoint is sent; `*` is all. */
  events: readonly string[]
  log: (line: string) => void
}): Webhooks {
  const { store, log } = options
  const stop = new AbortController()
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> = Promise.resolve()

  async function attempt(eventId: string): Promise<void> {
    const delivery = store.value.deliveries.find((queued) => queued.eventId === eventId)
    if (!delivery || stop.signal.aborted) return
    const problem = await post(delivery.payload)
    if (stop.signal.aborted) return
    delivery.attempts += 1
    delivery.nextAt = Date.now() + Math.min(LONGEST_RETRY, FIRST_RETRY * 2 ** (delivery.attempts - 1))
    const over = problem === undefined || Date.now() - delivery.since > GIVE_UP
    if (over) store.value.deliveries = store.value.deliveries.filter((queued) => queued !== delivery)
    store.save()
    if (problem) log(`webhook ${eventId} not taken (try ${delivery.attempts}): ${problem}`)
  }

  /** Undefined when taken, else why not. */
  async function post(payload: string): Promise<string | undefined> {
    try {
      const response = await fetch(options.url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json; charset=utf-8',
          'stripe-signature': sign(payload, options.secret, nowSeconds()),
          'user-agent': 'Stripe/1.0 (emulator)',
        },
        body: payload,
        redirect: 'manual',
        signal: AbortSignal.any([stop.signal, AbortSignal.timeout(TIMEOUT)]),
      })
      await response.body?.cancel()
      return response.ok ? undefined : `status ${response.status}`
    } catch (error) {
      return error instanceof Error ? error.message : String(error)
    }
  }

  async function deliverDue(): Promise<void> {
    const due = store.value.deliveries.filter(({ nextAt }) => nextAt <= Date.now()).map(({ eventId }) => eventId)
    for (const eventId of due) await attempt(eventId)
    schedule()
  }

  function schedule(): void {
    clearTimeout(timer)
    if (stop.signal.aborted || store.value.deliveries.length === 0) return
    const next = Math.min(...store.value.deliveries.map(({ nextAt }) => nextAt))
    timer = setTimeout(() => void deliver(), Math.max(50, next - Date.now()))
    timer.unref()
  }

  async function deliver(): Promise<void> {
    running = running.then(deliverDue)
    await Promise.race([running, new Promise((resolve) => setTimeout(resolve, TIMEOUT).unref())])
  }

  schedule()
  return {
    emit(type, object, previous) {
      const event: StripeEvent = {
        id: newId('evt'),
        object: 'event',
        api_version: API_VERSION,
        created: nowSeconds(),
        // A copy: later changes of the object are not part of what happened.
        data: {
          object: JSON.parse(toJson(object)),
          ...(previous ? { previous_attributes: previous } : {}),
        },
        livemode: false,
        pending_webhooks: 1,
        request: { id: null, idempotency_key: null },
        type,
      }
      store.value.events[event.id] = event
      for (const old of Object.keys(store.value.events).slice(0, -EVENTS_KEPT)) delete store.value.events[old]
      if (!options.events.includes('*') && !options.events.includes(type)) return event
      const payload = JSON.stringify(event, null, 2)
      store.value.deliveries.push({ eventId: event.id, payload, attempts: 0, nextAt: Date.now(), since: Date.now() })
      return event
    },
    deliver,
    async close() {
      stop.abort()
      clearTimeout(timer)
      await running
    },
  }
}
