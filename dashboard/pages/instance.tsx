import { useAccount } from '../account-state.tsx'
import { Plans } from '../billing/plans.tsx'
import { SubscriptionCard } from '../billing/subscription-card.tsx'
import { Loading } from '../components/notice.tsx'
import { DeleteCard } from '../instance/delete-card.tsx'
import { EndpointsCard } from '../instance/endpoints-card.tsx'
import { HooksCard } from '../instance/hooks-card.tsx'
import { MachineCard } from '../instance/machine-card.tsx'
import { MetricsCard } from '../instance/metrics-card.tsx'
import { ModelCard } from '../instance/model-card.tsx'
import { RuntimeCard } from '../instance/runtime-card.tsx'
import { SchedulesCard } from '../instance/schedules-card.tsx'
import { SecretsCard } from '../instance/secrets-card.tsx'
import { VariablesCard } from '../instance/variables-card.tsx'
import { Link } from '../router.tsx'

export function InstancePage() {
  const { status, problem, reload } = useAccount()
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
        <div className="two-columns">
          {instance && <ModelCard instance={instance} />}
          {instance && <RuntimeCard instance={instance} />}
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
          <HooksCard />
          <EndpointsCard />
          <VariablesCard />
          <SecretsCard />
          <MetricsCard />
          <DeleteCard instance={instance} />
        </>
      )}
    </>
  )
}
