import type Stripe from 'stripe'
import type { SeenSubscription } from '../../domain/billing/payment-event.ts'
import type { PlanId } from '../../domain/billing/plans.ts'
import type { Payments } from '../../domain/billing/ports.ts'
import { conflict } from '../../domain/errors.ts'
import { type Account, idOf, isCardError, isMissing } from './account.ts'
import { refundAll } from './charges.ts'
import { guarded } from './guarded.ts'
import { toSeen } from './payment-event.ts'

type Verbs = Pick<Payments, 'subscription' | 'changePlan' | 'endSubscription' | 'undoSubscription'> & {
  nextPlan(scheduleId: string): Promise<PlanId | null>
}

/** What is asked of subscriptions. */
export function subscriptionsOf(account: Account): Verbs {
  /** The plan of a schedule's phase that is still to come. */
  const nextPlan = async (scheduleId: string): Promise<PlanId | null> => {
    const { status, phases, current_phase } = await (await account.stripe()).subscriptionSchedules.retrieve(scheduleId)
    const next = phases.find(({ start_date }) => current_phase && start_date >= current_phase.end_date)
    const price = next?.items[0]?.price
    return status === 'active' && price ? account.planOf(idOf(price)) : null
  }

  const read = async (id: string): Promise<Stripe.Subscription | null> => {
    try {
      return await (await account.stripe()).subscriptions.retrieve(id)
    } catch (error) {
      if (isMissing(error)) return null
      throw error
    }
  }

  const seen = async (one: Stripe.Subscription): Promise<SeenSubscription | null> => toSeen(one, nextPlan)

  return {
    nextPlan,
    subscription: (id) =>
      guarded(async () => {
        const one = await read(id)
        return one && seen(one)
      }),

    changePlan: (id, plan, when) =>
      guarded(async () => {
        const stripe = await account.stripe()
        const before = await stripe.subscriptions.retrieve(id)
        const schedule = before.schedule && idOf(before.schedule)
        if (schedule && when !== 'later') await stripe.subscriptionSchedules.release(schedule)
        if (when === 'now') await switchNow(stripe, before, plan, await account.priceOf(plan))
        if (when === 'later') await switchLater(stripe, before, plan, await account.priceOf(plan))
        const after = await seen(await stripe.subscriptions.retrieve(id))
        if (!after) throw new Error('the subscription is not one of ours')
        return after
      }),

    endSubscription: (id) =>
      guarded(async () => {
        const one = await read(id)
        if (one && one.status !== 'canceled') await (await account.stripe()).subscriptions.cancel(id)
      }),

    undoSubscription: (id) =>
      guarded(async () => {
        const stripe = await account.stripe()
        const one = await read(id)
        if (one && one.status !== 'canceled') await stripe.subscriptions.cancel(id)
        if (one?.latest_invoice) await refundAll(stripe, idOf(one.latest_invoice))
      }),
  }
}

/** The difference for the rest of the period is charged at once, or nothing changes. @throws conflict when declined */
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
      // Says the plan even when a newer price has taken the look-up key over.
      metadata: { plan },
    })
  } catch (error) {
    if (!isCardError(error)) throw error
    throw conflict(
      'The card did not pay the difference, so the plan has not changed. Choose another card on the billing page, then try again.',
    )
  }
}

/** The present plan until the period's end, then the other, for good. */
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
