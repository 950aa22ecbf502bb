import * as z from 'zod'
import { askForReport } from '../../app/socket/push.ts'
import { sample, samplesShownMs } from '../../domain/instance/metrics.ts'
import { operation } from '../kit/operation.ts'

export const getInstanceMetrics = operation({
  id: 'getInstanceMetrics',
  summary: 'Get processor, memory, disk and uptime of the machine in the last hour',
  description:
    'One sample per minute, oldest first; none while the machine is paused. The request also makes the machine ' +
    'report its latest measurements.',
  http: { method: 'GET', path: '/instance/metrics' },
  auth: 'user',
  scope: 'api:instance',
  output: z.object({ samples: z.array(sample) }),
  uses: { metrics: 'read', connections: 'write', sockets: 'write' },
  run: async ({ actor, deps, now }) => {
    const [samples] = await Promise.all([
      deps.metrics.since(actor.userId, now - samplesShownMs),
      // The report serves the next request, so its failure does not matter.
      askForReport(deps, actor.userId).catch(() => {}),
    ])
    return { samples }
  },
})
