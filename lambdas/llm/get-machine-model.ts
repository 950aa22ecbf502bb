import * as z from 'zod'
import { notFound } from '../../domain/errors.ts'
import { vendorPaths } from '../../domain/models/api-formats.ts'
import { operation } from '../kit/operation.ts'
import { errorAsVendor, machineModel, showMachineModel } from './machine-model.ts'

const [path, ...aliases] = vendorPaths('/models/{id}')

export const getMachineModel = operation({
  id: 'getMachineModel',
  summary: 'One model a machine can call',
  description: 'By its id, percent-encoded (`openai%2Fgpt-5-mini`), or by any name under which a call finds it.',
  http: { method: 'GET', path, aliases },
  auth: 'llm',
  limit: 'llm',
  admission: 'wallet',
  input: z.strictObject({ id: z.string().max(200).meta({ description: 'The model.', example: 'local/echo' }) }),
  output: machineModel,
  errorAs: errorAsVendor,
  errors: ['not-found'],
  uses: { models: 'read', wallets: 'write' },
  run: async ({ input, deps, admit }) => {
    await admit()
    const found = await deps.models.find(input.id)
    if (!found) throw notFound('model')
    return showMachineModel(found)
  },
})
