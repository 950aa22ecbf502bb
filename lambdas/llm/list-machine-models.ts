import * as z from 'zod'
import { vendorPaths } from '../../domain/models/api-formats.ts'
import { operation } from '../kit/operation.ts'
import { errorAsVendor, machineModel, showMachineModel } from './machine-model.ts'

const [path, ...aliases] = vendorPaths('/models')

export const listMachineModels = operation({
  id: 'listMachineModels',
  summary: 'Models a machine can call, as the SDKs of OpenAI and Anthropic read them',
  http: { method: 'GET', path, aliases },
  auth: 'llm',
  limit: 'llm',
  admission: 'wallet',
  output: z
    .object({
      object: z.literal('list'),
      data: z.array(machineModel),
      has_more: z.literal(false),
      first_id: z.string().optional().meta({ example: 'local/echo' }),
      last_id: z.string().optional().meta({ example: 'local/echo' }),
    })
    .meta({ id: 'ModelList' }),
  errorAs: errorAsVendor,
  uses: { models: 'read', wallets: 'write' },
  run: async ({ deps, admit }) => {
    await admit()
    const data = (await deps.models.list()).map(showMachineModel)
    return {
      object: 'list' as const,
      data,
      has_more: false as const,
      ...(data.length > 0 && { first_id: data[0]?.id, last_id: data.at(-1)?.id }),
    }
  },
})
