import * as z from 'zod'
import { drive, driveUses } from '../../domain/instance/drive.ts'
import { readStartedBy, troubleOf, whyStopped } from '../../domain/instance/machine.ts'
import { reaction } from '../kit/operation.ts'

export const onTaskStateChange = reaction({
  id: 'onTaskStateChange',
  on: {
    bus: 'aws',
    source: 'aws.ecs',
    detailType: 'ECS Task State Change',
    detail: { lastStatus: ['RUNNING', 'STOPPED'] },
  },
  input: z.object({
    taskArn: z.string(),
    lastStatus: z.string(),
    desiredStatus: z.string(),
    startedBy: z.string().optional(),
    stopCode: z.string().optional(),
    stoppedReason: z.string().optional(),
  }),
  uses: driveUses,
  run: async ({
    input: { taskArn, lastStatus, desiredStatus, startedBy, stopCode, stoppedReason = '' },
    deps,
    now,
  }) => {
    const whose = readStartedBy(startedBy)
    // A machine that still runs while it is being stopped is no news.
    if (!whose || (lastStatus !== 'STOPPED' && (lastStatus !== 'RUNNING' || desiredStatus !== 'RUNNING'))) return
    const seen = lastStatus === 'RUNNING' ? 'running' : 'stopped'
    const { userId, generation } = whose
    const trouble = stopCode === 'TaskFailedToStart' ? troubleOf(stoppedReason) : null
    await drive(deps, userId, now, { generation, taskArn, seen, why: whyStopped(stopCode), trouble })
  },
})
