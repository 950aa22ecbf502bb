import * as z from 'zod'
import { drive } from '../../domain/instance/drive.ts'
import { readStartedBy, whyStopped } from '../../domain/instance/machine.ts'
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
  }),
  uses: ['instances', 'machines', 'machineTokens', 'events'],
  run: async ({ input: { taskArn, lastStatus, desiredStatus, startedBy, stopCode }, deps, now }) => {
    const whose = readStartedBy(startedBy)
    // A machine that still runs while it is being stopped is no news.
    if (!whose || (lastStatus !== 'STOPPED' && (lastStatus !== 'RUNNING' || desiredStatus !== 'RUNNING'))) return
    const seen = lastStatus === 'RUNNING' ? 'running' : 'stopped'
    const { userId, generation } = whose
    await drive(deps, userId, now, { generation, taskArn, seen, why: whyStopped(stopCode) })
  },
})
