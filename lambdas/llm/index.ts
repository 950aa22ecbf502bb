import { area } from '../kit/area.ts'
import { countTokens } from './count-tokens.ts'
import { createEmbeddings } from './create-embeddings.ts'
import { getMachineModel } from './get-machine-model.ts'
import { listMachineModels } from './list-machine-models.ts'
import { proxyModelCall } from './proxy-model-call.ts'

export const llmArea = area({
  name: 'llm',
  operations: [proxyModelCall, createEmbeddings, listMachineModels, getMachineModel, countTokens],
  stream: true,
  timeoutSeconds: 900,
  memoryMiB: 1024,
})
