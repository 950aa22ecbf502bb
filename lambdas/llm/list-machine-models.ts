import { vendorPaths } from '../../domain/models/api-formats.ts'
import { operation } from '../kit/operation.ts'
import { allModels, listModels } from './machine-model.ts'

const [path, ...aliases] = vendorPaths('/models')

export const listMachineModels = operation({
  ...allModels,
  id: 'listMachineModels',
  summary: 'List the models for machines, in the format of OpenAI’s and Anthropic’s SDKs',
  http: { method: 'GET', path, aliases },
  auth: 'llm',
  admission: 'wallet',
  run: async ({ deps, request, admit }) => {
    await admit()
    // Anthropic's SDKs would take embedding models for chat models.
    return listModels(deps.models, request.headers['anthropic-version'] === undefined)
  },
})
