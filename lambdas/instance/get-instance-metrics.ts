import * as z from 'zod'
import { sample, samplesShownMs } from '../../domain/instance/metrics.ts'
import { operation } from '../kit/operation.ts'

export const getInstanceMetrics = operation({
  id: 'getInstanceMetrics',
  summary: 'Processor, memory, disk and uptime of the machine over the last hour',
  description: 'One sample a minute, oldest first; none while the machine sleeps.',
  http: { method: 'GET', path: '/instance/metrics' },
  auth: 'user',
  scope: 'api:instance',
  output: z.object({ samples: z.array(sample) }),
  uses: { metrics: 'read' },
  run: async ({ actor, deps, now }) => ({ samples: await deps.metrics.since(actor.userId, now - samplesShownMs) }),
})
