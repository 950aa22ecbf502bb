import { PlanCard } from '../billing/plan-card.tsx'
import { Loading } from '../components/notice.tsx'
import { useRead } from '../data/cache.ts'
import type { welcomeTexts } from '../texts/welcome.ts'

export function Prices({ words }: { words: typeof welcomeTexts }) {
  const { data, problem, reload } = useRead('listPlans')
  return (
    <section aria-labelledby="costs-title">
      <h2 id="costs-title">{words.costs}</h2>
      <p className="muted">{words.costsLead}</p>
      {!data && <Loading problem={problem} retry={reload} />}
      <div className="plans">
        {data?.plans.map((plan) => (
          <PlanCard key={plan.id} plan={plan} />
        ))}
      </div>
    </section>
  )
}
