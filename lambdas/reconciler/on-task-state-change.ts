import * as z from 'zod'
import { readStartedBy, startFailureCode, stopCause } from '../../app/instance/ecs-task.ts'
import { reconcile } from '../../app/instance/reconcile.ts'
import { job } from '../kit/job.ts'
import { reconcileUses } from './uses.ts'

export const onTaskStateChange = job({
  id: 'onTaskStateChange',
  on: {
    bus: 'aws',
    source: 'aws.ecs',
    detailType: 'ECS Task State Change',
    detail: { lastStatus: ['RUNNING', 'STOPPED'] },
    cluster: 'stage',
  },
  input: z.object({
    taskArn: z.string(),
    lastStatus: z.string(),
    desiredStatus: z.string(),
    startedBy: z.string().optional(),
    stopCode: z.string().optional(),
    stoppedReason: z.string().optional(),
  }),
  uses: reconcileUses,
  run: async ({
    input: { taskArn, lastStatus, desiredStatus, startedBy, stopCode, stoppedReason = '' },
    deps,
    now,
  }) => {
    const owner = readStartedBy(startedBy)
    if (owner && lastStatus === 'STOPPED' && stopCode === 'SpotInterruption') deps.alarms.measure('SpotInterrupted', 1)
    // A machine that still runs while it is being stopped is no news.
    if (!owner || (lastStatus !== 'STOPPED' && (lastStatus !== 'RUNNING' || desiredStatus !== 'RUNNING'))) return
    const status = lastStatus === 'RUNNING' ? 'running' : 'stopped'
    const failureCode = stopCode === 'TaskFailedToStart' ? (startFailureCode(stoppedReason) ?? 'start-failed') : null
    const { userId, generation } = owner
    await reconcile(deps, userId, now, { generation, taskArn, status, cause: stopCause(stopCode), failureCode })
  },
})
