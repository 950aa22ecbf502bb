import { vendorPaths } from '../../domain/models/api-formats.ts'
import { operation } from '../kit/operation.ts'
import { errorAsVendor, listModels, modelList } from './machine-model.ts'

const [path, ...aliases] = vendorPaths('/models')

export const listMachineModels = operation({
  id: 'listMachineModels',
  summary: 'List the models for machines, in the format of OpenAI’s and Anthropic’s SDKs',
  http: { method: 'GET', path, aliases },
  auth: 'llm',
  limit: 'llm',
  admission: 'wallet',
  output: modelList,
  errorAs: errorAsVendor,
  uses: { models: 'read' },
  run: async ({ deps, request, admit }) => {
    await admit()
    // Anthropic's SDKs would take embedding models for chat models.
    return listModels(deps.models, request.headers['anthropic-version'] === undefined)
  },
})
