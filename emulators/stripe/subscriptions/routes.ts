import * as z from 'zod'
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
import type { Schedule } from '../records.ts'
import type { Store } from '../store.ts'
import type { Webhooks } from '../webhooks.ts'
import type { Lifecycle } from './lifecycle.ts'

const seconds = z.coerce.number().int()
const quantity = z.coerce.number().int().min(1).default(1)

const update = z.strictObject({
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
const updateSchedule = z.strictObject({
  end_behavior: z.literal('release').default('release'),
  proration_behavior: z.enum(['create_prorations', 'none', 'always_invoice']).optional(),
  phases: z.array(phase).min(1).max(2),
  expand,
})

/** Subscriptions and their schedules. */
export function subscriptionRoutes(options: { store: Store; lifecycle: Lifecycle; webhooks: Webhooks }): Route[] {
  const { store, lifecycle, webhooks } = options
  const { value } = store

  return [
    retrieve('/v1/subscriptions', 'subscription', value.subscriptions),
    list(
      '/v1/subscriptions',
      value.subscriptions,
      { customer: text, status: text },
      (subscription, { customer, status }) =>
        same(customer, subscription.customer) &&
        (status === 'all' ||
          (status === undefined ? subscription.status !== 'canceled' : status === subscription.status)),
    ),
    {
      method: 'POST',
      path: '/v1/subscriptions/{id}',
      run(input, id) {
        const request = read(update, input)
        const subscription = get(value.subscriptions, 'subscription', id)
        if (subscription.status === 'canceled')
          throw new StripeError(400, 'A canceled subscription can only update its cancellation_details and metadata.')
        subscription.metadata = merge(subscription.metadata, request.metadata)
        if (request.default_payment_method) subscription.default_payment_method = request.default_payment_method
        const price = request.items?.[0]?.price
        if (price) lifecycle.switchPrice(subscription, price, request.proration_behavior === 'always_invoice')
        if (price && request.cancel_at_period_end === undefined) return subscription
        lifecycle.setCancelAtPeriodEnd(subscription, request.cancel_at_period_end ?? subscription.cancel_at_period_end)
        return subscription
      },
    },
    {
      method: 'DELETE',
      path: '/v1/subscriptions/{id}',
      run(input, id) {
        read(z.strictObject({ invoice_now: flag.optional(), prorate: flag.optional(), expand }), input)
        const subscription = get(value.subscriptions, 'subscription', id)
        if (subscription.status === 'canceled') throw missing('subscription', id)
        lifecycle.cancel(subscription)
        return subscription
      },
    },
    retrieve('/v1/subscription_schedules', 'subscription_schedule', value.schedules),
    {
      method: 'POST',
      path: '/v1/subscription_schedules',
      run(input) {
        const { from_subscription } = read(z.strictObject({ from_subscription: z.string(), expand }), input)
        const subscription = get(value.subscriptions, 'subscription', from_subscription)
        const made = lifecycle.schedule(subscription)
        webhooks.emit('customer.subscription.updated', subscription, { schedule: null })
        return made
      },
    },
    {
      method: 'POST',
      path: '/v1/subscription_schedules/{id}',
      run(input, id) {
        const request = read(updateSchedule, input)
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
      },
    },
    {
      method: 'POST',
      path: '/v1/subscription_schedules/{id}/release',
      run(input, id) {
        read(nothing, input)
        const found = active(get(value.schedules, 'subscription_schedule', id))
        const subscription = get(value.subscriptions, 'subscription', found.subscription ?? '')
        lifecycle.release(subscription)
        webhooks.emit('customer.subscription.updated', subscription, { schedule: id })
        return found
      },
    },
  ]
}

function active(schedule: Schedule): Schedule {
  if (schedule.status === 'active') return schedule
  throw new StripeError(400, `You cannot change a subscription schedule that is ${schedule.status}.`)
}
