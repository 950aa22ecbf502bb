import * as z from 'zod'
import { isAllowed, type UserActor } from '../actor.ts'
import { type Plan, planById } from '../billing/plans.ts'
import { eventScope, eventScopes } from '../chat/event.ts'
import { eventTypes } from '../chat/event-types.ts'
import { fullDay } from '../day-limit.ts'
import { conflict, forbidden, invalid, rateLimited } from '../errors.ts'
import { name } from '../name.ts'
import { dayMs, hourMs, minuteMs, secondMs } from '../time.ts'
import { timestamp } from '../timestamp.ts'
import type { ByToken } from '../tokens/made-by-token.ts'
import { refusalOnTrial } from '../trial/trial.ts'

export const endpointLimits = (plan: string): Plan['webhookEndpoints'] => planById(plan).webhookEndpoints

/** The previous secret also signs for this time, ms. */
export const oldSecretMs = dayMs

/** An endpoint that failed for this time and this many tries in a row is disabled. */
const disableAfter = { ms: 3 * dayMs, failures: 12 }

/** After so many failures in a row an endpoint rests, longer each time. */
const restAfter = { failures: 3, firstMs: minuteMs, longestMs: hourMs }

/** `*` is every type, including future ones. */
const subscription = z.enum([...eventTypes, '*'])
export type Subscription = z.infer<typeof subscription>

/** `gone`: the endpoint answered 410. */
export const lossReasons = ['failing', 'gone'] as const
export type LossReason = (typeof lossReasons)[number]

const disabledReasons = [...lossReasons, 'owner'] as const

export const webhookEndpoint = z
  .object({
    id: z.string().meta({ example: 'whe_01KAHB2N3P4Q5R6S7T8V9WXYZ0' }),
    name: z.string().meta({ example: 'My log' }),
    url: z.string().meta({ description: 'Receives events by POST.', example: 'https://example.com/berth' }),
    events: z.array(subscription).meta({ description: 'The subscribed types; `*` is every type.' }),
    createdAt: timestamp,
    disabled: z
      .enum(disabledReasons)
      .nullable()
      .meta({ description: 'The reason why it receives no events; null while it receives events.', example: null }),
    failingSince: timestamp.nullable().meta({ description: 'The time since which all deliveries have failed.' }),
    oldSecretUntil: timestamp.nullable().meta({ description: 'The time until which the previous secret also signs.' }),
    missedAt: timestamp
      .nullable()
      .meta({ description: 'The last time when an hourly or daily limit of the plan dropped an event.' }),
  })
  .meta({ id: 'WebhookEndpoint' })
export type WebhookEndpoint = z.infer<typeof webhookEndpoint>

/** The secret is derived from `secretVersion`, 1 at first. */
export interface EndpointRecord extends WebhookEndpoint {
  secretVersion: number
  /** Failures since the last accepted delivery. */
  failures: number
  /** No try before this, ms since 1970; 0 for no rest. */
  restsUntilMs: number
  byToken?: ByToken | undefined
}

export const showEndpoint = ({
  secretVersion: _,
  failures: __,
  restsUntilMs: ___,
  byToken: ____,
  ...shown
}: EndpointRecord) => shown

export const endpointInput = {
  name: name('Give the endpoint a name.').meta({ example: 'My log' }),
  url: z.string().max(2_000).meta({
    description: 'An https address with a public name, on port 443 or 8443.',
    example: 'https://example.com/berth',
  }),
  events: z
    .array(subscription)
    .min(1)
    .max(eventTypes.length + 1)
    .meta({ description: 'The subscribed types; `*` is every type, including future ones.', example: ['*'] }),
}

interface Named {
  name: string
  url: string
  events: readonly Subscription[]
}

const simplified = (events: readonly Subscription[]): Subscription[] =>
  events.includes('*') ? ['*'] : [...new Set(events)]

export const newEndpoint = (id: string, { name, url, events }: Named, createdAt: string): EndpointRecord => ({
  id,
  name,
  url,
  events: simplified(events),
  createdAt,
  disabled: null,
  failingSince: null,
  oldSecretUntil: null,
  missedAt: null,
  secretVersion: 1,
  failures: 0,
  restsUntilMs: 0,
})

export const changedEndpoint = (
  old: EndpointRecord,
  { enabled, name, url, events }: { enabled?: boolean | undefined } & { [K in keyof Named]?: Named[K] | undefined },
): EndpointRecord => ({
  ...old,
  name: name ?? old.name,
  url: url ?? old.url,
  events: events ? simplified(events) : old.events,
  disabled: enabled === undefined ? old.disabled : enabled ? null : 'owner',
  failingSince: null,
  failures: 0,
  restsUntilMs: 0,
})

const ports = ['', '8443']

/** Names that no public name server knows. */
const privateName = /(^|\.)(localhost|local|internal|intranet|lan|home\.arpa|test|invalid|onion)\.?$/

/**
 * Checks an address before it is resolved; the resolved addresses are checked at each connection.
 * @param local on a laptop: its own loopback is allowed, over http too
 * @throws validation
 */
export function checkUrl(text: string, local: boolean): string {
  const url = URL.parse(text)
  const refuse = (why: string) => invalid('url', why)
  if (!url) throw refuse('give a whole address, such as https://example.com/berth.')
  if (url.username !== '' || url.password !== '') throw refuse('leave out user name and password.')
  if (url.hash !== '') throw refuse('leave out what follows the #.')
  if (local && isLoopback(url.hostname)) return url.href
  if (url.protocol !== 'https:') throw refuse('it has to begin with https://.')
  if (!ports.includes(url.port)) throw refuse('use port 443 or 8443.')
  if (isNumeric(url.hostname)) throw refuse('give a name, not an IP address.')
  if (!url.hostname.replace(/\.$/, '').includes('.') || privateName.test(url.hostname))
    throw refuse('give a name that is known to everybody.')
  return url.href
}

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(host)

/** The URL parser turns each notation of an IPv4 address into four numbers. */
const isNumeric = (host: string): boolean => host.startsWith('[') || /^[\d.]+$/.test(host)

export const wants = ({ events }: Pick<EndpointRecord, 'events'>, type: string): boolean =>
  type === testType || events.some((each) => each === '*' || each === type)

export const testType = 'webhook.test'

/** An address could read all its events, so a token must have their scopes. @throws forbidden */
export function checkScopes(actor: UserActor, events: readonly Subscription[]): void {
  const wanted = events.flatMap((type) => (type === '*' ? eventScopes : [eventScope({ type })]))
  const lacking = wanted.find((each) => !isAllowed(actor, each))
  if (lacking) throw forbidden(`This token lacks the scope ${lacking}, which these events require.`)
}

/** Rest after the latest failure, ms; 0 for none. */
export const restMs = (failures: number): number =>
  failures < restAfter.failures
    ? 0
    : Math.min(restAfter.longestMs, restAfter.firstMs * 2 ** (failures - restAfter.failures))

/** True once in a row of failures: at the one that begins the rest. */
export const beginsToRest = ({ failures }: Pick<EndpointRecord, 'failures'>): boolean => failures === restAfter.failures

export const isLost = (
  { failingSince, failures }: Pick<EndpointRecord, 'failingSince' | 'failures'>,
  nowMs: number,
): boolean =>
  failingSince !== null && failures >= disableAfter.failures && nowMs - Date.parse(failingSince) >= disableAfter.ms

export function fullOf(period: 'hour' | 'day', limits: Plan['webhookEndpoints'], nowMs: number) {
  if (period === 'day') return fullDay('webhook endpoints get', limits, nowMs)
  const seconds = Math.ceil((hourMs - (nowMs % hourMs)) / secondMs)
  return rateLimited(seconds, `An endpoint gets ${limits.deliveriesAnHour} deliveries an hour.`)
}

export const noRoomForEndpoint = (plan: string) =>
  refusalOnTrial(plan, 'webhook endpoints') ??
  conflict(`Your plan has room for ${endpointLimits(plan).most} webhook endpoints. Delete one first.`)
