import type { Webhooks } from '../../../app/ports/webhooks.ts'
import type { Env } from '../../env.ts'
import { deliveries } from './deliveries.ts'
import { endpoints } from './endpoints.ts'

export const webhooks = (env: Env): Webhooks => ({ ...endpoints(env), ...deliveries(env) })
