import { vendorPaths } from '../../domain/models/api-formats.ts'
import { operation } from '../kit/operation.ts'
import { findShown, oneModel } from './machine-model.ts'

const [path, ...aliases] = vendorPaths('/models/{id}')

export const getMachineModel = operation({
  ...oneModel,
  id: 'getMachineModel',
  summary: 'Get a model for machines',
  http: { method: 'GET', path, aliases },
  auth: 'llm',
  admission: 'wallet',
  run: async ({ input, deps, admit }) => {
    await admit()
    return findShown(deps.models, input.id)
  },
})
