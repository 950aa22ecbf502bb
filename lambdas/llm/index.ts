import { area } from '../kit/operation.ts'
import { access } from './access.ts'
import { listMachineModels } from './list-machine-models.ts'
import { proxyModelCall } from './proxy-model-call.ts'

export const llmArea = area({
  name: 'llm',
  access,
  operations: [proxyModelCall, listMachineModels],
  stream: true,
  timeoutSeconds: 900,
  memoryMiB: 1024,
})
