import { apiPaths } from '../../domain/models/api-formats.ts'
import { operation } from '../kit/operation.ts'
import { errorAsVendor, findShown, machineModel, modelId } from './machine-model.ts'

const [path, ...aliases] = apiPaths('/models/{id}')

export const getApiModel = operation({
  id: 'getApiModel',
  summary: 'Get a model for your own programs',
  description: 'By its id, percent-encoded (`openai%2Fgpt-5-mini`), or by any other name that a call may use.',
  http: { method: 'GET', path, aliases },
  auth: 'pat',
  scope: 'api:llm',
  limit: 'llm',
  input: modelId,
  output: machineModel,
  errorAs: errorAsVendor,
  errors: ['not-found'],
  uses: { models: 'read' },
  run: ({ input, deps }) => findShown(deps.models, input.id),
})
