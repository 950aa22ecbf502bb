import * as z from 'zod'
import type { Account } from '../account.ts'
import { missing, StripeError } from '../api/error.ts'
import {
  expand,
  flag,
  get,
  list,
  merge,
  metadata,
  metadataChanges,
  nothing,
  type Route,
  read,
  retrieve,
  same,
  text,
} from '../api/route.ts'
import type { Schedule, Subscription } from '../records.ts'
import { cancel, release, schedule, setCancelAtPeriodEnd, switchPrice } from './lifecycle.ts'

const seconds = z.coerce.number().int()
const quantity = z.coerce.number().int().min(1).default(1)

const updateInput = z.strictObject({
  cancel_at_period_end: flag.optional(),
  items: z
    .array(z.strictObject({ id: text, price: text, quantity: quantity.optional() }))
    .max(1)
    .optional(),
  proration_behavior: z.enum(['create_prorations', 'none', 'always_invoice']).default('create_prorations'),
  payment_behavior: z.literal('error_if_incomplete').optional(),
  default_payment_method: text,
  metadata: metadataChanges,
  expand,
})

const phase = z.strictObject({
  items: z.array(z.strictObject({ price: z.string(), quantity })).length(1),
  start_date: seconds.optional(),
  end_date: seconds.optional(),
  duration: z
    .strictObject({ interval: z.literal('month'), interval_count: z.coerce.number().int().default(1) })
    .optional(),
  proration_behavior: text,
  metadata: metadata.default({}),
})
const scheduleInput = z.strictObject({
  end_behavior: z.literal('release').default('release'),
  proration_behavior: z.enum(['create_prorations', 'none', 'always_invoice']).optional(),
  phases: z.array(phase).min(1).max(2),
  expand,
})

/** Subscriptions and their schedules. */
export function subscriptionRoutes(account: Account): Route[] {
  const { subscriptions, schedules } = account.store.value
  return [
    retrieve('/v1/subscriptions', 'subscription', subscriptions),
    list(
      '/v1/subscriptions',
      subscriptions,
      { customer: text, status: text },
      (subscription, { customer, status }) =>
        same(customer, subscription.customer) &&
        (status === 'all' ||
          (status === undefined ? subscription.status !== 'canceled' : status === subscription.status)),
    ),
    { method: 'POST', path: '/v1/subscriptions/{id}', run: (input, id) => update(account, input, id) },
    { method: 'DELETE', path: '/v1/subscriptions/{id}', run: (input, id) => cancelNow(account, input, id) },
    retrieve('/v1/subscription_schedules', 'subscription_schedule', schedules),
    { method: 'POST', path: '/v1/subscription_schedules', run: (input) => createSchedule(account, input) },
    { method: 'POST', path: '/v1/subscription_schedules/{id}', run: (input, id) => updateSchedule(account, input, id) },
    {
      method: 'POST',
      path: '/v1/subscription_schedules/{id}/release',
      run: (input, id) => releaseSchedule(account, input, id),
    },
  ]
}

function update(account: Account, input: unknown, id: string): Subscription {
  const request = read(updateInput, input)
  const subscription = get(account.store.value.subscriptions, 'subscription', id)
  if (subscription.status === 'canceled')
    throw new StripeError(400, 'A canceled subscription can only update its cancellation_details and metadata.')
  subscription.metadata = merge(subscription.metadata, request.metadata)
  if (request.default_payment_method) subscription.default_payment_method = request.default_payment_method
  const price = request.items?.[0]?.price
  if (price) switchPrice(account, subscription, price, request.proration_behavior === 'always_invoice')
  if (price && request.cancel_at_period_end === undefined) return subscription
  setCancelAtPeriodEnd(account, subscription, request.cancel_at_period_end ?? subscription.cancel_at_period_end)
  return subscription
}

function cancelNow(account: Account, input: unknown, id: string): Subscription {
  read(z.strictObject({ invoice_now: flag.optional(), prorate: flag.optional(), expand }), input)
  const subscription = get(account.store.value.subscriptions, 'subscription', id)
  if (subscription.status === 'canceled') throw missing('subscription', id)
  cancel(account, subscription)
  return subscription
}

function createSchedule(account: Account, input: unknown): Schedule {
  const { from_subscription } = read(z.strictObject({ from_subscription: z.string(), expand }), input)
  const subscription = get(account.store.value.subscriptions, 'subscription', from_subscription)
  const made = schedule(account, subscription)
  account.webhooks.emit('customer.subscription.updated', subscription, { schedule: null })
  return made
}

function updateSchedule({ store: { value }, webhooks }: Account, input: unknown, id: string): Schedule {
  const request = read(scheduleInput, input)
  const found = active(get(value.schedules, 'subscription_schedule', id))
  let from = found.phases[0]?.start_date ?? 0
  found.phases = request.phases.map(({ items, start_date, end_date, metadata: about }) => {
    const start = start_date ?? from
    from = end_date ?? start + 30 * 86_400
    return { items, start_date: start, end_date: from, metadata: about }
  })
  const [first] = found.phases
  if (first) found.current_phase = { start_date: first.start_date, end_date: first.end_date }
  const subscription = value.subscriptions[found.subscription ?? '']
  if (subscription) webhooks.emit('customer.subscription.updated', subscription, {})
  return found
}

function releaseSchedule({ store, webhooks }: Account, input: unknown, id: string): Schedule {
  read(nothing, input)
  const found = active(get(store.value.schedules, 'subscription_schedule', id))
  const subscription = get(store.value.subscriptions, 'subscription', found.subscription ?? '')
  release(store, subscription)
  webhooks.emit('customer.subscription.updated', subscription, { schedule: id })
  return found
}

function active(schedule: Schedule): Schedule {
  if (schedule.status === 'active') return schedule
  throw new StripeError(400, `You cannot change a subscription schedule that is ${schedule.status}.`)
}
