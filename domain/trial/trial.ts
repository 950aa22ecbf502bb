import * as z from 'zod'
import { graceDays } from '../billing/grace-period.ts'
import { type PlanId, trialPlan } from '../billing/plans.ts'
import { isLive, type Subscription } from '../billing/subscription.ts'
import { conflict, type DomainError } from '../errors.ts'
import { unsignedMicros } from '../money.ts'
import { hourMs, iso } from '../time.ts'
import { timestamp } from '../timestamp.ts'
import { isOpen, type TrialDay, type TrialTerms, trialTerms } from './terms.ts'

/** An account has one trial at most, forever. */
export const trial = z
  .object({
    startedAt: timestamp,
    endsAt: timestamp.meta({
      description: 'The end of the trial: earlier than planned if the credit was used up.',
    }),
    creditMicros: unsignedMicros.meta({ description: 'Its credit, in µUSD.', example: 250_000 }),
  })
  .meta({ id: 'Trial' })
export type Trial = z.infer<typeof trial>

export const trialOffer = trialTerms
  .pick({ creditMicros: true, hours: true })
  .extend({
    keptDays: z.int().meta({ description: 'The time for which files are kept after the trial.', example: graceDays }),
    open: z.boolean().meta({ description: 'False if today’s budget is used up. It starts again at 00:00 UTC.' }),
  })
  .meta({ id: 'TrialOffer' })
export type TrialOffer = z.infer<typeof trialOffer>

export const showOffer = (terms: TrialTerms, day: TrialDay): TrialOffer => ({
  creditMicros: terms.creditMicros,
  hours: terms.hours,
  keptDays: graceDays,
  open: isOpen(terms, day),
})

/** Stands for the id of a subscription in a trial's grace period. */
export const trialName = 'trial'

/** Starts of the machine in a trial, crashes included. */
export const trialStarts = 20

export const newTrial = ({ creditMicros, hours }: TrialTerms, nowMs: number): Trial => ({
  startedAt: iso(nowMs),
  endsAt: iso(nowMs + hours * hourMs),
  creditMicros,
})

interface Tried {
  subscription: Subscription
  trial: Trial | null
}

/** Never true again once there was a subscription. */
export const isOnTrial = ({ subscription, trial }: Tried, nowMs: number): boolean =>
  subscription.status === 'none' && trial !== null && Date.parse(trial.endsAt) > nowMs

export const isSpent = (trial: Trial | null, leftMicros: number): boolean =>
  leftMicros * 20 < (trial?.creditMicros ?? 0)

/** Null for an account that may have no machine. */
export function planOf(user: Tried, nowMs: number): PlanId | typeof trialPlan.id | null {
  if (isLive(user.subscription)) return user.subscription.plan ?? 'starter'
  return isOnTrial(user, nowMs) ? trialPlan.id : null
}

/** Null when a trial's machine may start as this generation. */
export function refusalToStart(
  user: Tried | null,
  { generation, overPlanSince }: { generation: number; overPlanSince: string | null },
  nowMs: number,
): DomainError | null {
  if (user && isLive(user.subscription)) return null
  if (!user || !isOnTrial(user, nowMs)) return conflict('The trial is over. Subscribe to a plan to keep your data.')
  if (overPlanSince !== null)
    return conflict('The files are too large for the trial. Subscribe to a plan before it ends, to keep them.')
  if (generation > trialStarts)
    return conflict(
      `A trial starts its machine ${trialStarts} times at most. Subscribe to a plan: what is here is kept.`,
    )
  return null
}

/** Null when the account, by itself, may have a trial. */
export function refusalToTry(
  { trial, subscriptionId }: Pick<Tried, 'trial'> & { subscriptionId: string | null },
  terms: TrialTerms | null,
): DomainError | null {
  if (terms === null) return conflict('There are no trials here. Subscribe to a plan to get an agent.')
  if (trial) return conflict('This account already had its trial. Subscribe to a plan to keep the trial’s data.')
  return subscriptionId === null ? null : conflict('This account already had a plan. Subscribe to one again.')
}

export const trialRefusals = {
  mailbox: () =>
    conflict('This mailbox already had a trial, perhaps under another spelling. Subscribe to a plan instead.'),
  budget: () => conflict('Today’s trials are all taken. Try again after 00:00 UTC, or subscribe to a plan now.'),
  stopped: () => conflict('There are no trials at the moment. Subscribe to a plan, or try again later.'),
  network: () =>
    conflict(
      'Too many trials were started from your network today. Try again after 00:00 UTC, or subscribe to a plan now.',
    ),
  domain: () =>
    conflict(
      'Too many trials were started with your e-mail domain today. Try again after 00:00 UTC, or subscribe to a plan now.',
    ),
  busy: () => conflict('Your account is changing right now. Try again.'),
} satisfies Record<string, () => DomainError>
export type TrialRefusal = keyof typeof trialRefusals

export const refusalOnTrial = (plan: string, what: string): DomainError | null =>
  plan === trialPlan.id ? conflict(`A trial has no ${what}. Subscribe to a plan; your data stays.`) : null
