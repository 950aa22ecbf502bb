import { area } from '../kit/area.ts'
import { getHealth } from './get-health.ts'
import { getOpenapi } from './get-openapi.ts'
import { getSecurityTxt } from './get-security-txt.ts'
import { listModels } from './list-models.ts'
import { listPlans } from './list-plans.ts'

export const publicArea = area({
  name: 'public',
  about: 'Public information: whether the service is alive, the plans, the models and this document.',
  // Compressed data are bytes, which only a streaming function may return.
  stream: true,
  timeoutSeconds: 900,
  operations: [getHealth, getSecurityTxt, getOpenapi, listPlans, listModels],
})
