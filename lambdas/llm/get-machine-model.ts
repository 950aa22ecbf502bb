import { vendorPaths } from '../../domain/models/api-formats.ts'
import { operation } from '../kit/operation.ts'
import { errorAsVendor, findShown, machineModel, modelId } from './machine-model.ts'

const [path, ...aliases] = vendorPaths('/models/{id}')

export const getMachineModel = operation({
  id: 'getMachineModel',
  summary: 'Get a model for machines',
  description: 'By its id, percent-encoded (`openai%2Fgpt-5-mini`), or by any other name that a call may use.',
  http: { method: 'GET', path, aliases },
  auth: 'llm',
  limit: 'llm',
  admission: 'wallet',
  input: modelId,
  output: machineModel,
  errorAs: errorAsVendor,
  errors: ['not-found'],
  uses: { models: 'read' },
  run: async ({ input, deps, admit }) => {
    await admit()
    return findShown(deps.models, input.id)
  },
})
