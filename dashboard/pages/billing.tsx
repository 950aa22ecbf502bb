import { useAccount } from '../account-state.tsx'
import { ChoosePlan } from '../billing/choose-plan.tsx'
import { Invoices } from '../billing/invoices.tsx'
import { PlanChange } from '../billing/plan-change.tsx'
import { SubscriptionCard } from '../billing/subscription-card.tsx'
import { Button } from '../components/button.tsx'
import { Loading, Notice } from '../components/notice.tsx'
import { useAction } from '../components/use-action.ts'
import { berth } from '../data/client.ts'
import { billingTexts } from '../texts/billing.ts'

const words = billingTexts

export function BillingPage() {
  const { status, problem, reload } = useAccount()
  if (!status) {
    return (
      <>
        <h1>{words.title}</h1>
        <Loading problem={problem} retry={reload} />
      </>
    )
  }
  const { subscription } = status
  const live = subscription.status === 'active' || subscription.status === 'past_due'
  return (
    <>
      <h1>{words.title}</h1>
      {live ? (
        <div className="two-columns">
          <SubscriptionCard subscription={subscription}>
            <PortalButton
              label={
                subscription.status === 'past_due' ? words.portal.pay : portalLabel(subscription.cancelAtPeriodEnd)
              }
              primary={subscription.status === 'past_due'}
            />
          </SubscriptionCard>
          <PlanChange subscription={subscription} />
        </div>
      ) : (
        <ChoosePlan ended={subscription.status === 'canceled'} />
      )}
      <Invoices />
    </>
  )
}

const portalLabel = (ending: boolean): string => (ending ? words.portal.keep : words.portal.change)

/** Opens the payment provider's page for cards and cancellation. */
function PortalButton({ label, primary = false }: { label: string; primary?: boolean }) {
  const open = useAction(async () => window.location.assign((await berth.openBillingPortal()).url))
  return (
    <>
      <Button variant={primary ? 'primary' : 'plain'} busy={open.busy} onClick={() => open.run()}>
        {label}
      </Button>
      {open.problem && <Notice tone="bad">{open.problem}</Notice>}
    </>
  )
}
