import { area } from '../kit/area.ts'
import { getHealth } from './get-health.ts'
import { getOpenapi } from './get-openapi.ts'
import { listModels } from './list-models.ts'
import { listPlans } from './list-plans.ts'

export const publicArea = area({
  name: 'public',
  operations: [getHealth, getOpenapi, listPlans, listModels],
})
