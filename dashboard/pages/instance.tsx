import { useEffect } from 'react'
import type { InstanceStatus } from '../../clients/typescript/operations.ts'
import { useAccount } from '../account-state.tsx'
import { ChoosePlan } from '../billing/choose-plan.tsx'
import { SubscriptionCard } from '../billing/subscription-card.tsx'
import { Loading } from '../components/notice.tsx'
import { Tabs, useTab } from '../components/tabs.tsx'
import { useRead } from '../data/cache.ts'
import { useReady } from '../data/use-ready.ts'
import { DeleteCard } from '../instance/delete-card.tsx'
import { HistoryCard, historyInput, useHistory } from '../instance/history-card.tsx'
import { LogCard } from '../instance/log-card.tsx'
import { MachineCard } from '../instance/machine-card.tsx'
import { MetricsCard } from '../instance/metrics-card.tsx'
import { ModelCard } from '../instance/model-card.tsx'
import { RuntimeCard } from '../instance/runtime-card.tsx'
import { SchedulesCard } from '../instance/schedules-card.tsx'
import { SecretsCard } from '../instance/secrets-card.tsx'
import { VariablesCard } from '../instance/variables-card.tsx'
import { Link, replace, useSearchParameter } from '../router.tsx'
import { instanceTexts } from '../texts/instance.ts'
import '../styles/instance.css'

const words = instanceTexts

export function InstancePage() {
  const { status, problem, reload } = useAccount()
  const isMoved = useSearchParameter('tab') === 'webhooks'
  // Webhooks are on the page `connect`; old links still lead here.
  useEffect(() => {
    if (isMoved) replace('/connect?tab=webhooks')
  }, [isMoved])
  return (
    <>
      <h1>{words.title}</h1>
      {status ? <Parts status={status} /> : <Loading problem={problem} retry={reload} />}
    </>
  )
}

/** Each part reads little, and has an address of its own. */
function Parts({ status }: { status: InstanceStatus }) {
  const tab = useTab(words.tabs)
  const { instance } = status
  if (!instance || instance.desiredState === 'deleted') return <Machine status={status} />
  return (
    <>
      <Tabs label={words.parts} tabs={words.tabs} />
      {tab === 'machine' && <Machine status={status} />}
      {tab === 'schedules' && <SchedulesCard />}
      {tab === 'log' && <LogCard />}
      {tab === 'settings' && (
        <>
          <VariablesCard />
          <SecretsCard />
          <DeleteCard instance={instance} />
        </>
      )}
    </>
  )
}

function Machine({ status: { instance, subscription } }: { status: InstanceStatus }) {
  const ofMachine = instance && instance.desiredState !== 'deleted' ? {} : null
  const [metrics, models, runtimes] = [
    useRead('getInstanceMetrics', ofMachine),
    useRead('listModels', ofMachine),
    useRead('listRuntimes', ofMachine),
  ]
  const history = useHistory(ofMachine && historyInput)
  const isReady = useReady(metrics, models, runtimes, { ...history, data: history.pages }) || !ofMachine
  const live = subscription.status === 'active' || subscription.status === 'past_due'
  return (
    <>
      {instance ? (
        <MachineCard instance={instance} />
      ) : (
        live && (
          <section className="card empty" role="status">
            <p>
              <span className="spinner" aria-hidden="true" /> {words.preparing}
            </p>
            <p className="muted">{words.preparingHint}</p>
          </section>
        )
      )}
      {!live && <ChoosePlan ended={subscription.status === 'canceled'} />}
      {ofMachine && !isReady && <Loading problem={null} retry={() => {}} />}
      {isReady && instance && instance.desiredState !== 'deleted' && (
        <>
          <MetricsCard instance={instance} />
          <HistoryCard />
        </>
      )}
      {isReady && (instance || live) && (
        <div className="two-columns">
          {instance && <ModelCard instance={instance} />}
          {instance && <RuntimeCard instance={instance} />}
          {live && (
            <SubscriptionCard subscription={subscription}>
              <p>
                <Link to="/billing">{words.planLink}</Link>
              </p>
            </SubscriptionCard>
          )}
        </div>
      )}
    </>
  )
}
