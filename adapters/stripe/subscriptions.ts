import type Stripe from 'stripe'
import * as z from 'zod'
import type { Payments } from '../../app/ports/billing.ts'
import type { ProviderSubscription } from '../../domain/billing/payment-event.ts'
import { lookupKey, type PlanId, planIds } from '../../domain/billing/plans.ts'
import type { Subscription } from '../../domain/billing/subscription.ts'
import { conflict } from '../../domain/errors.ts'
import { iso } from '../../domain/time.ts'
import { refund } from './charges.ts'
import { type Client, idOf, isCardError, orMissing, stripeId } from './client.ts'
import { subscriptionMetadata } from './metadata.ts'

type Verbs = Pick<
  Payments,
  'subscription' | 'changePlan' | 'cancelSubscription' | 'endSubscription' | 'undoSubscription'
>

export function subscriptionsOf(client: Client): Verbs {
  const cancel = async (stripe: Stripe, id: string): Promise<Stripe.Subscription | null> => {
    const found = await orMissing(stripe.subscriptions.retrieve(id))
    if (found && found.status !== 'canceled') await stripe.subscriptions.cancel(id)
    return found
  }

  return {
    subscription: (id) =>
      client.call(async (stripe) => {
        const found = await orMissing(stripe.subscriptions.retrieve(id))
        return found && toSubscription(client, found)
      }),

    changePlan: (id, plan, when) =>
      client.call(async (stripe) => {
        const before = await stripe.subscriptions.retrieve(id)
        const schedule = before.schedule && idOf(before.schedule)
        if (schedule && when !== 'later') await stripe.subscriptionSchedules.release(schedule)
        if (when === 'now') await switchNow(stripe, before, plan, await client.priceOf(plan))
        if (when === 'later') await switchLater(stripe, before, plan, await client.priceOf(plan))
        const after = await toSubscription(client, await stripe.subscriptions.retrieve(id))
        if (!after) throw new Error('the subscription is not one of ours')
        return after
      }),

    cancelSubscription: (id) =>
      client.call(async (stripe) => {
        const found = await orMissing(stripe.subscriptions.retrieve(id))
        if (!found || found.status === 'canceled') return
        if (found.status !== 'active' && found.status !== 'trialing')
          return void (await stripe.subscriptions.cancel(id))
        if (found.schedule) await stripe.subscriptionSchedules.release(idOf(found.schedule))
        await stripe.subscriptions.update(id, { cancel_at_period_end: true })
      }),

    endSubscription: (id) =>
      client.call(async (stripe) => {
        await cancel(stripe, id)
      }),

    undoSubscription: (id) =>
      client.call(async (stripe) => {
        const found = await cancel(stripe, id)
        if (found?.latest_invoice) await refund(stripe, idOf(found.latest_invoice))
      }),
  }
}

/** Charges the difference at once, or changes nothing. @throws conflict if the card is declined */
async function switchNow(
  stripe: Stripe,
  { id, items }: Stripe.Subscription,
  plan: PlanId,
  price: string,
): Promise<void> {
  const [item] = items.data
  try {
    await stripe.subscriptions.update(id, {
      items: [{ id: item?.id, price }],
      proration_behavior: 'always_invoice',
      payment_behavior: 'error_if_incomplete',
      // Names the plan even if a newer price has its look-up key.
      metadata: { plan },
    })
  } catch (error) {
    if (!isCardError(error)) throw error
    throw conflict(
      'The card did not pay the difference, so the plan has not changed. Choose another card on the billing page, then try again.',
    )
  }
}

async function switchLater(
  stripe: Stripe,
  { id, items, schedule }: Stripe.Subscription,
  plan: PlanId,
  price: string,
): Promise<void> {
  const [item] = items.data
  if (!item) throw new Error('the subscription has no price')
  const { id: scheduleId, phases } = schedule
    ? await stripe.subscriptionSchedules.retrieve(idOf(schedule))
    : await stripe.subscriptionSchedules.create({ from_subscription: id })
  await stripe.subscriptionSchedules.update(scheduleId, {
    end_behavior: 'release',
    proration_behavior: 'none',
    phases: [
      {
        items: [{ price: item.price.id, quantity: 1 }],
        start_date: phases[0]?.start_date ?? item.current_period_start,
        end_date: item.current_period_end,
      },
      { items: [{ price, quantity: 1 }], duration: { interval: 'month', interval_count: 1 }, metadata: { plan } },
    ],
  })
}

/** Stripe's states as ours. Missing states are not, or not yet, a subscription. */
const statuses: Record<string, Subscription['status']> = {
  trialing: 'active',
  active: 'active',
  past_due: 'past_due',
  unpaid: 'past_due',
  canceled: 'canceled',
  paused: 'canceled',
}

export const subscriptionObject = z.object({
  id: z.string(),
  created: z.int(),
  customer: stripeId,
  status: z.string(),
  cancel_at_period_end: z.boolean(),
  cancel_at: z.int().nullish(),
  schedule: stripeId.nullish(),
  metadata: subscriptionMetadata,
  items: z.object({
    data: z
      .array(z.object({ current_period_end: z.int(), price: z.object({ lookup_key: z.string().nullish() }) }))
      .min(1),
  }),
})

/** Null for a subscription that is not ours, or not yet one. */
export async function toSubscription(client: Client, object: unknown): Promise<ProviderSubscription | null> {
  const { id, created, customer, metadata, items, schedule, ...rest } = subscriptionObject.parse(object)
  const status = statuses[rest.status]
  const [first] = items.data
  if (!metadata || !status || !first) return null
  const present = planIds.find((plan) => lookupKey(plan) === first.price.lookup_key) ?? metadata.plan ?? null
  const next = schedule && status !== 'canceled' ? await nextPlan(client, schedule) : null
  return {
    userId: metadata.userId,
    subscriptionId: id,
    customerId: customer,
    checkoutId: metadata.checkoutId,
    boughtSeconds: created,
    givenUp: rest.status === 'unpaid',
    subscription: {
      status,
      plan: present,
      currentPeriodEnd: iso(first.current_period_end * 1000),
      cancelAtPeriodEnd: rest.cancel_at_period_end || rest.cancel_at === first.current_period_end,
      ...(next && next !== present && { nextPlan: next }),
    },
  }
}

const nextPlan = (client: Client, scheduleId: string): Promise<PlanId | null> =>
  client.call(async (stripe) => {
    const { status, phases, current_phase } = await stripe.subscriptionSchedules.retrieve(scheduleId)
    const next = phases.find(({ start_date }) => current_phase && start_date >= current_phase.end_date)
    const price = next?.items[0]?.price
    return status === 'active' && price ? client.planOf(idOf(price)) : null
  })
