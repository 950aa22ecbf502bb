import type { ReactNode } from 'react'
import type { Subscription } from '../../domain/billing/subscription.ts'
import { Notice } from '../components/notice.tsx'
import { showDay } from '../format.ts'

const planLabels = { starter: 'Starter', pro: 'Pro' } as const satisfies Record<
  NonNullable<Subscription['plan']>,
  string
>

/** `children` is what can be done about it. */
export function SubscriptionCard({ subscription, children }: { subscription: Subscription; children?: ReactNode }) {
  const { status, plan, currentPeriodEnd, cancelAtPeriodEnd, nextPlan } = subscription
  return (
    <section className="card" aria-labelledby="subscription-title">
      <div className="card-head">
        <h2 id="subscription-title">Subscription</h2>
        <span className={status === 'active' ? 'pill good' : 'pill bad'}>
          <span className="dot" aria-hidden="true" />
          {status === 'active' ? 'Active' : 'Payment due'}
        </span>
      </div>
      <p className="lead">{plan ? planLabels[plan] : 'Plan'}</p>
      {currentPeriodEnd && (
        <p className="muted">
          {cancelAtPeriodEnd ? 'Ends on' : 'Renews on'} {showDay(currentPeriodEnd)}
          {nextPlan ? ` as ${planLabels[nextPlan]}` : ''}.
          {cancelAtPeriodEnd && ' Your files are kept for 30 days after that.'}
        </p>
      )}
      {status === 'past_due' && (
        <Notice tone="bad">The last payment did not go through. It is tried again; check your card.</Notice>
      )}
      {children}
    </section>
  )
}
