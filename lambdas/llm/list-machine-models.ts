import * as z from 'zod'
import { vendorPaths } from '../../domain/models/api-formats.ts'
import { isEmbedding, type PricedModel } from '../../domain/models/model.ts'
import { operation, type RequestFacts } from '../kit/operation.ts'
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
  run: async ({ deps, request, admit }) => {
    await admit()
    const models = await deps.models.list()
    const data = [...models.filter((model) => !isEmbedding(model)), ...embeddings(models, request)].map(
      showMachineModel,
    )
    return {
      object: 'list' as const,
      data,
      has_more: false as const,
      ...(data.length > 0 && { first_id: data[0]?.id, last_id: data.at(-1)?.id }),
    }
  },
})

/** Models that make embeddings come last; Anthropic's API has none, and its SDKs would take them for others. */
const embeddings = (models: PricedModel[], { headers }: RequestFacts): PricedModel[] =>
  headers['anthropic-version'] === undefined ? models.filter(isEmbedding) : []
