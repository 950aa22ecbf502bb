import { proxyPath } from '../../domain/models/api-formats.ts'
import { area } from '../kit/area.ts'
import { callModel } from './call-model.ts'
import { countApiTokens } from './count-api-tokens.ts'
import { countTokens } from './count-tokens.ts'
import { createApiEmbeddings } from './create-api-embeddings.ts'
import { createEmbeddings } from './create-embeddings.ts'
import { getApiModel } from './get-api-model.ts'
import { getMachineModel } from './get-machine-model.ts'
import { getTurnCost } from './get-turn-cost.ts'
import { listApiModels } from './list-api-models.ts'
import { listMachineModels } from './list-machine-models.ts'
import { errorAsVendor } from './machine-model.ts'
import { proxyModelCall } from './proxy-model-call.ts'
import { signCallBody } from './sign-call-body.ts'

export const llmArea = area({
  name: 'llm',
  about:
    'Model calls in the formats of OpenAI and Anthropic, paid from the wallet: at `/v1` for your programs, and at `/llm/proxy` for your agent’s machine.',
  operations: [
    ...[proxyModelCall, signCallBody, createEmbeddings, listMachineModels, getMachineModel, countTokens, getTurnCost],
    ...[callModel, createApiEmbeddings, listApiModels, getApiModel, countApiTokens],
  ],
  unserved: { paths: ['/v1/{path+}', `${proxyPath}/v1/{path+}`], errorAs: errorAsVendor },
  stream: true,
  timeoutSeconds: 900,
  memoryMiB: 320,
})
