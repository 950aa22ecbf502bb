import { area } from '../kit/area.ts'
import { listMachineModels } from './list-machine-models.ts'
import { proxyModelCall } from './proxy-model-call.ts'

export const llmArea = area({
  name: 'llm',
  operations: [proxyModelCall, listMachineModels],
  stream: true,
  timeoutSeconds: 900,
  memoryMiB: 1024,
})
