import { apiPaths } from '../../domain/models/api-formats.ts'
import { operation } from '../kit/operation.ts'
import { findShown, oneModel } from './machine-model.ts'

const [path, ...aliases] = apiPaths('/models/{id}')

export const getApiModel = operation({
  ...oneModel,
  id: 'getApiModel',
  summary: 'Get a model for your own programs',
  http: { method: 'GET', path, aliases },
  auth: 'pat',
  scope: 'api:llm',
  run: ({ input, deps }) => findShown(deps.models, input.id),
})
