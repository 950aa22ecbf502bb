import * as z from 'zod'
import { plan, plans } from '../../domain/billing/plans.ts'
import { operation } from '../kit/operation.ts'

export const listPlans = operation({
  id: 'listPlans',
  summary: 'The plans on sale',
  http: { method: 'GET', path: '/plans' },
  auth: 'none',
  limit: null,
  output: z.object({ plans: z.array(plan) }),
  uses: {},
  run: async () => ({ plans: [...plans] }),
})
