import type { Subscription } from '../../domain/billing/plans.ts'
import { Notice } from '../parts/notice.tsx'
import { showDay } from '../words.ts'

const planWords = { starter: 'Starter', pro: 'Pro' } as const satisfies Record<
  NonNullable<Subscription['plan']>,
  string
>

export function SubscriptionCard({ subscription }: { subscription: Subscription }) {
  const { status, plan, currentPeriodEnd, cancelAtPeriodEnd } = subscription
  return (
    <section className="card" aria-labelledby="subscription-title">
      <div className="card-head">
        <h2 id="subscription-title">Subscription</h2>
        <span className={status === 'active' ? 'pill good' : 'pill bad'}>
          <span className="dot" aria-hidden="true" />
          {status === 'active' ? 'Active' : 'Payment due'}
        </span>
      </div>
      <p className="lead">{plan ? planWords[plan] : 'Plan'}</p>
      {currentPeriodEnd && (
        <p className="muted">
          {cancelAtPeriodEnd ? 'Ends on' : 'Renews on'} {showDay(currentPeriodEnd)}.
        </p>
      )}
      {status === 'past_due' && (
        <Notice tone="bad">The last payment did not go through. It is tried again; check your card.</Notice>
      )}
    </section>
  )
}
