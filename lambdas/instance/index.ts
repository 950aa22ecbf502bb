import { area } from '../kit/operation.ts'
import { access } from './access.ts'
import { getInstanceStatus } from './get-instance-status.ts'
import { pauseInstance } from './pause-instance.ts'
import { refreshInstance } from './refresh-instance.ts'
import { resumeInstance } from './resume-instance.ts'
import { setInstanceModel } from './set-instance-model.ts'

export const instanceArea = area({
  name: 'instance',
  access,
  operations: [getInstanceStatus, pauseInstance, resumeInstance, refreshInstance, setInstanceModel],
})
