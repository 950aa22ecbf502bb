import { useLive } from '../account.tsx'
import { Invoices } from '../billing/invoices.tsx'
import { PlanChange } from '../billing/plan-change.tsx'
import { PortalButton } from '../billing/portal-button.tsx'
import { Plans } from '../instance/plans.tsx'
import { SubscriptionCard } from '../instance/subscription-card.tsx'
import { Loading } from '../parts/notice.tsx'

export function BillingPage() {
  const { status, problem, reload } = useLive()
  if (!status) {
    return (
      <>
        <h1>Billing</h1>
        <Loading problem={problem} retry={reload} />
      </>
    )
  }
  const { subscription } = status
  const live = subscription.status === 'active' || subscription.status === 'past_due'
  return (
    <>
      <h1>Billing</h1>
      {live ? (
        <div className="pair">
          <SubscriptionCard subscription={subscription}>
            <PortalButton
              label={
                subscription.status === 'past_due' ? 'Pay or change the card' : actions(subscription.cancelAtPeriodEnd)
              }
              primary={subscription.status === 'past_due'}
            />
          </SubscriptionCard>
          <PlanChange subscription={subscription} />
        </div>
      ) : (
        <Plans ended={subscription.status === 'canceled'} />
      )}
      <Invoices />
    </>
  )
}

const actions = (ending: boolean): string =>
  ending ? 'Keep the subscription, or change the card' : 'Change the card, or cancel'
