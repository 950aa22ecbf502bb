import type { Plan } from '../../domain/billing/plans.ts'
import { formatMicros } from '../../domain/dollars.ts'
import { berth } from '../api/client.ts'
import { Button } from '../components/button.tsx'
import { CheckIcon } from '../components/icons.tsx'
import { Loading, Notice } from '../components/notice.tsx'
import { useAction } from '../components/use-action.ts'
import { useData } from '../components/use-data.ts'
import { showCents } from '../format.ts'

export function Plans({ ended }: { ended: boolean }) {
  const { data, problem, reload } = useData(berth.listPlans)
  return (
    <section aria-labelledby="plans-title">
      <h2 id="plans-title">{ended ? 'Your subscription has ended' : 'Choose a plan'}</h2>
      <p className="muted">
        {ended
          ? 'Your files are kept for 30 days. Subscribe again, and your agent goes on where it was.'
          : 'A plan is a machine for your agent, with storage that stays and credit for model calls each month.'}
      </p>
      {data ? (
        <div className="plans">
          {data.plans.map((plan) => (
            <PlanCard key={plan.id} plan={plan} />
          ))}
        </div>
      ) : (
        <Loading problem={problem} retry={reload} />
      )}
    </section>
  )
}

function PlanCard({ plan }: { plan: Plan }) {
  const { id, name, priceCents, machine, schedules, includedMicros } = plan
  const open = useAction(async () => {
    const { url } = await berth.createSubscriptionCheckout({ plan: id })
    window.location.assign(url)
  })
  const contents = [
    `${formatMicros(includedMicros)} of model calls included each month`,
    `${cores(machine.cpu)} vCPU, ${gib(machine.memoryMiB)} of memory`,
    `${machine.storageGiB} GiB of files that stay`,
    'Sleeps when idle, wakes on a message',
    `${schedules.most} schedules, each as often as every ${schedules.leastMinutes} minutes`,
  ]
  return (
    <article className="card plan">
      <h3>{name}</h3>
      <p className="plan-price">
        <strong>{showCents(priceCents)}</strong> <span className="muted">per month</span>
      </p>
      <ul>
        {contents.map((text) => (
          <li key={text}>
            <CheckIcon />
            {text}
          </li>
        ))}
      </ul>
      {open.problem && <Notice tone="bad">{open.problem}</Notice>}
      <Button variant="primary" busy={open.busy} onClick={() => open.run()}>
        Subscribe to {name}
      </Button>
    </article>
  )
}

/** CPU units are 1/1024 of a core. */
const cores = (units: number): string => String(units / 1024)
const gib = (mebibytes: number): string => (mebibytes < 1024 ? `${mebibytes} MiB` : `${mebibytes / 1024} GiB`)
