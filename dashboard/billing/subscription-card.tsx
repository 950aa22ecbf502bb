import type { ReactNode } from 'react'
import type { Subscription } from '../../domain/billing/subscription.ts'
import { Notice } from '../components/notice.tsx'
import { showDay } from '../format.ts'
import { billingTexts } from '../texts/billing.ts'

const words = billingTexts.subscription

const planLabels = { starter: 'Starter', pro: 'Pro' } as const satisfies Record<
  NonNullable<Subscription['plan']>,
  string
>

/** `children` are the available actions. */
export function SubscriptionCard({ subscription, children }: { subscription: Subscription; children?: ReactNode }) {
  const { status, plan, currentPeriodEnd } = subscription
  return (
    <section className="card" aria-labelledby="subscription-title">
      <div className="card-head">
        <h2 id="subscription-title">{words.title}</h2>
        <span className={status === 'active' ? 'pill good' : 'pill bad'}>
          <span className="dot" aria-hidden="true" />
          {status === 'active' ? words.active : words.due}
        </span>
      </div>
      <p className="lead">{plan ? planLabels[plan] : words.plan}</p>
      {currentPeriodEnd && <p className="muted">{whatComes(subscription, showDay(currentPeriodEnd))}</p>}
      {status === 'past_due' && <Notice tone="bad">{words.failed}</Notice>}
      {children}
    </section>
  )
}

function whatComes({ cancelAtPeriodEnd, nextPlan }: Subscription, day: string): string {
  if (cancelAtPeriodEnd) return words.ends(day)
  return nextPlan ? words.renewsAs(day, planLabels[nextPlan]) : words.renews(day)
}
