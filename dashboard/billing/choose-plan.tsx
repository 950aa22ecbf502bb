import type { Plan } from '../../domain/billing/plans.ts'
import { Button } from '../components/button.tsx'
import { Loading, Notice } from '../components/notice.tsx'
import { useAction } from '../components/use-action.ts'
import { useRead } from '../data/cache.ts'
import { berth } from '../data/client.ts'
import { billingTexts } from '../texts/billing.ts'
import { PlanCard } from './plan-card.tsx'

const words = billingTexts.plans

export function ChoosePlan({ ended }: { ended: boolean }) {
  const { data, problem, reload } = useRead('listPlans')
  return (
    <section aria-labelledby="plans-title">
      <h2 id="plans-title">{ended ? words.ended : words.choose}</h2>
      <p className="muted">{ended ? words.endedHint : words.chooseHint}</p>
      {data ? (
        <div className="plans">
          {data.plans.map((plan) => (
            <PlanCard key={plan.id} plan={plan}>
              <Subscribe plan={plan} />
            </PlanCard>
          ))}
        </div>
      ) : (
        <Loading problem={problem} retry={reload} />
      )}
    </section>
  )
}

function Subscribe({ plan: { id, name } }: { plan: Plan }) {
  const open = useAction(async () => window.location.assign((await berth.createSubscriptionCheckout({ plan: id })).url))
  return (
    <>
      {open.problem && <Notice tone="bad">{open.problem}</Notice>}
      <Button variant="primary" busy={open.busy} onClick={() => open.run()}>
        {words.subscribe(name)}
      </Button>
    </>
  )
}
