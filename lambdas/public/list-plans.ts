import * as z from 'zod'
import { plan, plans } from '../../domain/billing/plans.ts'
import { showOffer, trialOffer } from '../../domain/trial/trial.ts'
import { operation } from '../kit/operation.ts'

export const listPlans = operation({
  id: 'listPlans',
  summary: 'List the plans, and the trial on offer',
  http: { method: 'GET', path: '/plans' },
  auth: 'none',
  limit: null,
  output: z.object({
    plans: z.array(plan),
    trial: trialOffer.nullable().meta({ description: 'The trial before any payment; null if there are no trials.' }),
  }),
  uses: { trialBudget: 'read' },
  run: async ({ deps: { trialBudget }, now }) => {
    const terms = trialBudget.terms()
    if (!terms) return { plans: [...plans], trial: null }
    // If the store cannot say what is left of the day, plans are still shown, with no trial left.
    const spent = { givenMicros: terms.budgetMicros, trials: 0, stopped: null }
    const day = await trialBudget.recentDay(now).catch(() => spent)
    return { plans: [...plans], trial: showOffer(terms, day) }
  },
})
