import { apiPaths } from '../../domain/models/api-formats.ts'
import { operation } from '../kit/operation.ts'
import { errorAsVendor, listModels, modelList } from './machine-model.ts'

const [path, ...aliases] = apiPaths('/models')

export const listApiModels = operation({
  id: 'listApiModels',
  summary: 'Models your own programs can call, as the SDKs of OpenAI and Anthropic read them',
  http: { method: 'GET', path, aliases },
  auth: 'pat',
  scope: 'api:llm',
  limit: 'llm',
  output: modelList,
  errorAs: errorAsVendor,
  uses: { models: 'read' },
  // Anthropic's SDKs would take embedding models for chat models.
  run: ({ deps, request }) => listModels(deps.models, request.headers['anthropic-version'] === undefined),
})
