import { useState } from 'react'
import type { Plan } from '../../domain/billing/plans.ts'
import type { Subscription } from '../../domain/billing/subscription.ts'
import { useAccount } from '../account-state.tsx'
import { berth } from '../api/client.ts'
import { Button } from '../components/button.tsx'
import { Loading, Notice } from '../components/notice.tsx'
import { useAction } from '../components/use-action.ts'
import { useData } from '../components/use-data.ts'
import { showCents, showDay } from '../format.ts'

/** The plans, and what choosing another one means. Nothing is charged before it was said and confirmed. */
export function PlanChange({ subscription }: { subscription: Subscription }) {
  const { reload } = useAccount()
  const { data, problem, reload: reloadPlans } = useData(berth.listPlans)
  const plans = data?.plans
  const [chosen, setChosen] = useState<Plan | null>(null)
  const [done, setDone] = useState<string | null>(null)
  const change = useAction(async (plan: Plan) => {
    const { subscription: now } = await berth.changePlan({ plan: plan.id })
    setChosen(null)
    setDone(now.plan === plan.id ? `You are on ${plan.name}.` : `${plan.name} begins with your next period.`)
    reload()
  })
  const own = plans?.find(({ id }) => id === subscription.plan)
  const why = whyNot(subscription)
  return (
    <section className="card" aria-labelledby="plan-change-title">
      <h2 id="plan-change-title">Plan</h2>
      {!plans && <Loading problem={problem} retry={reloadPlans} />}
      {plans && own && (
        <ul className="rows">
          {plans.map((plan) => (
            <li key={plan.id} className="row">
              <div className="row-text">
                <p className="row-name">{plan.name}</p>
                <p className="muted">
                  {showCents(plan.priceCents)} a month, {plan.machine.memoryMiB / 1024} GiB of memory,{' '}
                  {plan.machine.storageGiB} GiB of files
                </p>
              </div>
              {offer(plan, own, subscription) === 'own' ? (
                <span className="pill good">Your plan</span>
              ) : offer(plan, own, subscription) === 'coming' ? (
                <span className="pill">
                  Begins {subscription.currentPeriodEnd && showDay(subscription.currentPeriodEnd)}
                </span>
              ) : (
                <Button disabled={why !== null} onClick={() => setChosen(plan)}>
                  {offer(plan, own, subscription) === 'keep' ? `Keep ${plan.name}` : `Change to ${plan.name}`}
                </Button>
              )}
            </li>
          ))}
        </ul>
      )}
      {why && <p className="muted">{why}</p>}
      {chosen && own && (
        <div className="confirm">
          <p role="status">{meaning(chosen, own, subscription)}</p>
          <div className="buttons">
            <Button variant="primary" busy={change.busy} onClick={() => change.run(chosen)}>
              Confirm
            </Button>
            <Button onClick={() => setChosen(null)}>Not now</Button>
          </div>
        </div>
      )}
      {change.problem && <Notice tone="bad">{change.problem}</Notice>}
      {done && !change.problem && !chosen && <Notice tone="good">{done}</Notice>}
    </section>
  )
}

type Offer = 'own' | 'keep' | 'coming' | 'change'

function offer(plan: Plan, own: Plan, { nextPlan }: Subscription): Offer {
  if (plan.id === nextPlan) return 'coming'
  if (plan.id === own.id) return nextPlan ? 'keep' : 'own'
  return 'change'
}

function whyNot({ status, cancelAtPeriodEnd }: Subscription): string | null {
  if (status === 'past_due') return 'A payment is due. Pay it first, then change the plan.'
  return cancelAtPeriodEnd ? 'The subscription is set to end. Keep it first, then change the plan.' : null
}

function meaning(plan: Plan, own: Plan, { currentPeriodEnd }: Subscription): string {
  const until = currentPeriodEnd ? showDay(currentPeriodEnd) : 'the period ends'
  if (plan.id === own.id) return `You stay on ${own.name}, and the change is taken back.`
  if (plan.priceCents < own.priceCents)
    return `You keep ${own.name} until ${until}; then ${plan.name} begins at ${showCents(plan.priceCents)} a month.`
  return `${plan.name} begins now. Your card is charged the difference for the days until ${until}, and ${showCents(plan.priceCents)} a month after that. The machine takes its new size when it starts next.`
}
