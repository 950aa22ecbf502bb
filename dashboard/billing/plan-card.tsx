import type { ReactNode } from 'react'
import type { Plan } from '../../domain/billing/plans.ts'
import { CheckIcon } from '../components/icons.tsx'
import { showCents } from '../format.ts'
import { billingTexts } from '../texts/billing.ts'
import { planContents } from './plan-contents.ts'

export const PlanCard = ({ plan, children }: { plan: Plan; children?: ReactNode }) => (
  <article className="card plan">
    <h3>{plan.name}</h3>
    <p className="plan-price">
      <strong>{showCents(plan.priceCents)}</strong> <span className="muted">{billingTexts.plans.perMonth}</span>
    </p>
    <ul>
      {planContents(plan).map((text) => (
        <li key={text}>
          <CheckIcon />
          {text}
        </li>
      ))}
    </ul>
    {children}
  </article>
)
