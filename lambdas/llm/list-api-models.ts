import { apiPaths } from '../../domain/models/api-formats.ts'
import { operation } from '../kit/operation.ts'
import { allModels, listModels } from './machine-model.ts'

const [path, ...aliases] = apiPaths('/models')

export const listApiModels = operation({
  ...allModels,
  id: 'listApiModels',
  summary: 'List the models for your own programs, in the format of OpenAI’s and Anthropic’s SDKs',
  http: { method: 'GET', path, aliases },
  auth: 'pat',
  scope: 'api:llm',
  // Anthropic's SDKs would take embedding models for chat models.
  run: ({ deps, request }) => listModels(deps.models, request.headers['anthropic-version'] === undefined),
})
