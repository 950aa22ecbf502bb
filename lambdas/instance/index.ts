import { area } from '../kit/area.ts'
import { createSchedule } from './create-schedule.ts'
import { deleteInstance } from './delete-instance.ts'
import { deleteSchedule } from './delete-schedule.ts'
import { getInstanceEnv } from './get-instance-env.ts'
import { getInstanceHistory } from './get-instance-history.ts'
import { getInstanceLogs } from './get-instance-logs.ts'
import { getInstanceMetrics } from './get-instance-metrics.ts'
import { getInstanceSecrets } from './get-instance-secrets.ts'
import { getInstanceStatus } from './get-instance-status.ts'
import { listRuntimes } from './list-runtimes.ts'
import { listSchedules } from './list-schedules.ts'
import { pauseInstance } from './pause-instance.ts'
import { refreshInstance } from './refresh-instance.ts'
import { resumeInstance } from './resume-instance.ts'
import { runSchedule } from './run-schedule.ts'
import { setInstanceEnv } from './set-instance-env.ts'
import { setInstanceModel } from './set-instance-model.ts'
import { setInstanceRuntime } from './set-instance-runtime.ts'
import { setInstanceSecrets } from './set-instance-secrets.ts'
import { updateSchedule } from './update-schedule.ts'

export const instanceArea = area({
  name: 'instance',
  about: 'Your agent’s machine: its state, its program and model, variables, secrets, schedules, logs and metrics.',
  operations: [
    getInstanceStatus,
    getInstanceHistory,
    pauseInstance,
    resumeInstance,
    refreshInstance,
    setInstanceModel,
    listRuntimes,
    setInstanceRuntime,
    deleteInstance,
    getInstanceEnv,
    setInstanceEnv,
    getInstanceSecrets,
    setInstanceSecrets,
    listSchedules,
    createSchedule,
    deleteSchedule,
    updateSchedule,
    runSchedule,
    getInstanceLogs,
    getInstanceMetrics,
  ],
})
