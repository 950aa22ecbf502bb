import * as z from 'zod'
import { shownTrials, showTrials } from '../../domain/operator/trials.ts'
import { operation } from '../kit/operation.ts'

export const getTrials = operation({
  id: 'getTrials',
  summary: 'Get today’s trials and the rest of the daily budget',
  description: '`npm run admin -- trials stop` stops trials everywhere at once.',
  http: { method: 'GET', path: '/operator/trials' },
  auth: 'operator',
  output: z.object({
    trials: shownTrials.nullable().meta({ description: 'Null where the stage has none.' }),
  }),
  uses: { trialBudget: 'read' },
  run: async ({ deps: { trialBudget }, now }) => {
    const terms = trialBudget.terms()
    return { trials: terms && showTrials(terms, await trialBudget.day(now)) }
  },
})
