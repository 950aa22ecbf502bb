import { useLive } from '../account.tsx'
import { DeleteCard } from '../instance/delete-card.tsx'
import { MachineCard } from '../instance/machine-card.tsx'
import { ModelCard } from '../instance/model-card.tsx'
import { Plans } from '../instance/plans.tsx'
import { SchedulesCard } from '../instance/schedules-card.tsx'
import { SubscriptionCard } from '../instance/subscription-card.tsx'
import { UsageCard } from '../instance/usage-card.tsx'
import { VariablesCard } from '../instance/variables-card.tsx'
import { Loading } from '../parts/notice.tsx'
import { Link } from '../route.tsx'

export function InstancePage() {
  const { status, problem, reload } = useLive()
  if (!status) {
    return (
      <>
        <h1>Instance</h1>
        <Loading problem={problem} retry={reload} />
      </>
    )
  }
  const { instance, subscription } = status
  const live = subscription.status === 'active' || subscription.status === 'past_due'
  return (
    <>
      <h1>Instance</h1>
      {instance ? (
        <MachineCard instance={instance} />
      ) : (
        live && (
          <section className="card empty" role="status">
            <p>
              <span className="spinner" aria-hidden="true" /> Your machine is being prepared.
            </p>
            <p className="muted">This takes a moment. The page follows by itself.</p>
          </section>
        )
      )}
      {!live && <Plans ended={subscription.status === 'canceled'} />}
      {(instance || live) && (
        <div className="pair">
          {instance && <ModelCard instance={instance} />}
          {live && (
            <SubscriptionCard subscription={subscription}>
              <p>
                <Link to="/billing">Plan, card and invoices</Link>
              </p>
            </SubscriptionCard>
          )}
        </div>
      )}
      {instance && instance.desiredState !== 'deleted' && (
        <>
          <SchedulesCard />
          <VariablesCard />
          <UsageCard />
          <DeleteCard instance={instance} />
        </>
      )}
    </>
  )
}
