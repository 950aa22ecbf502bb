import { useState } from 'react'
import type { Plan } from '../../domain/billing/plans.ts'
import type { Subscription } from '../../domain/billing/subscription.ts'
import { useAccount } from '../account-state.tsx'
import { Button } from '../components/button.tsx'
import { Loading, Notice } from '../components/notice.tsx'
import { useAction } from '../components/use-action.ts'
import { useRead } from '../data/cache.ts'
import { berth } from '../data/client.ts'
import { showCents, showDay } from '../format.ts'
import { billingTexts } from '../texts/billing.ts'

const words = billingTexts.change

/** Shows the price and asks for consent before any charge. */
export function PlanChange({ subscription }: { subscription: Subscription }) {
  const { reload } = useAccount()
  const { data, problem, reload: reloadPlans } = useRead('listPlans')
  const plans = data?.plans
  const [chosen, setChosen] = useState<Plan | null>(null)
  const [done, setDone] = useState<string | null>(null)
  const change = useAction(async (plan: Plan) => {
    const { subscription: now } = await berth.changePlan({ plan: plan.id })
    setChosen(null)
    setDone(now.plan === plan.id ? words.done(plan.name) : words.comes(plan.name))
    reload()
  })
  const own = plans?.find(({ id }) => id === subscription.plan)
  const why = whyNot(subscription)
  return (
    <section className="card" aria-labelledby="plan-change-title">
      <h2 id="plan-change-title">{words.title}</h2>
      {!plans && <Loading problem={problem} retry={reloadPlans} />}
      {plans && own && (
        <ul className="rows">
          {plans.map((plan) => (
            <li key={plan.id} className="row">
              <div className="row-text">
                <p className="row-name">{plan.name}</p>
                <p className="muted">
                  {words.contents(showCents(plan.priceCents), plan.machine.memoryMiB / 1024, plan.machine.storageGiB)}
                </p>
              </div>
              {offer(plan, own, subscription) === 'own' ? (
                <span className="pill good">{words.own}</span>
              ) : offer(plan, own, subscription) === 'coming' ? (
                <span className="pill">
                  {subscription.currentPeriodEnd
                    ? words.begins(showDay(subscription.currentPeriodEnd))
                    : words.beginsNext}
                </span>
              ) : (
                <Button disabled={why !== null} onClick={() => setChosen(plan)}>
                  {offer(plan, own, subscription) === 'keep' ? words.keep(plan.name) : words.change(plan.name)}
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
              {words.confirm}
            </Button>
            <Button onClick={() => setChosen(null)}>{words.notNow}</Button>
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
  if (status === 'past_due') return words.payFirst
  return cancelAtPeriodEnd ? words.keepFirst : null
}

function meaning(plan: Plan, own: Plan, { currentPeriodEnd }: Subscription): string {
  const until = currentPeriodEnd ? showDay(currentPeriodEnd) : words.periodEnd
  if (plan.id === own.id) return words.stay(own.name)
  if (plan.priceCents < own.priceCents) return words.down(own.name, until, plan.name, showCents(plan.priceCents))
  return words.up(plan.name, until, showCents(plan.priceCents))
}
