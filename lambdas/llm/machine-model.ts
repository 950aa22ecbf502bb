import * as z from 'zod'
import type { Models } from '../../app/ports/models.ts'
import { type DomainError, notFound } from '../../domain/errors.ts'
import { isEmbedding, type PricedModel } from '../../domain/models/model.ts'
import { anthropicError, openaiError, type VendorError } from '../../domain/models/vendor-errors.ts'
import type { RequestFacts } from '../kit/operation.ts'

/** A model with the fields of both vendors' APIs, because each vendor's SDK reads its own. */
const machineModel = z
  .object({
    id: z.string().meta({ example: 'local/echo' }),
    object: z.literal('model'),
    created: z.int(),
    owned_by: z.string().meta({ example: 'local' }),
    type: z.literal('model'),
    display_name: z.string().meta({ example: 'local/echo' }),
    created_at: z.string().meta({ example: '1970-01-01T00:00:00Z' }),
    context_window: z.int().nullable(),
    architecture: z
      .object({ output_modalities: z.array(z.enum(['text', 'embeddings'])) })
      .meta({ description: 'Its output; a model for embeddings has no text output.' }),
  })
  .meta({ id: 'MachineModel' })

const showMachineModel = ({ id, provider, contextTokens, formats }: PricedModel): z.infer<typeof machineModel> => ({
  id,
  object: 'model',
  created: 0,
  owned_by: provider,
  type: 'model',
  display_name: id,
  created_at: '1970-01-01T00:00:00Z',
  context_window: contextTokens,
  architecture: { output_modalities: [isEmbedding({ formats }) ? 'embeddings' : 'text'] },
})

const modelList = z
  .object({
    object: z.literal('list'),
    data: z.array(machineModel),
    has_more: z.literal(false),
    first_id: z.string().optional().meta({ example: 'local/echo' }),
    last_id: z.string().optional().meta({ example: 'local/echo' }),
  })
  .meta({ id: 'ModelList' })

/** Embedding models come last, if they are listed at all. */
export async function listModels(models: Models, withEmbeddings: boolean): Promise<z.infer<typeof modelList>> {
  const all = await models.list()
  const embeddings = withEmbeddings ? all.filter(isEmbedding) : []
  const data = [...all.filter((model) => !isEmbedding(model)), ...embeddings].map(showMachineModel)
  const [first, last] = [data[0]?.id, data.at(-1)?.id]
  return { object: 'list', data, has_more: false, ...(data.length > 0 && { first_id: first, last_id: last }) }
}

/** @throws not-found */
export async function findShown(models: Models, id: string): Promise<z.infer<typeof machineModel>> {
  const found = await models.find(id)
  if (!found) throw notFound('model')
  return showMachineModel(found)
}

/** Some addresses serve both vendors' SDKs: Anthropic's send a version header; `/messages` is only Anthropic's. */
export const errorAsVendor = (
  error: DomainError,
  status: number,
  { headers, target }: Pick<RequestFacts, 'headers' | 'target'>,
): VendorError =>
  headers['anthropic-version'] === undefined && !/\/messages(\/|$)/.test(target)
    ? openaiError(error, status)
    : anthropicError(error, status)

/** The parts that `getMachineModel` and `getApiModel` share. */
export const oneModel = {
  description: 'By its id, percent-encoded (`openai%2Fgpt-5-mini`), or by any other name that a call may use.',
  limit: 'llm',
  input: z.strictObject({ id: z.string().max(200).meta({ description: 'The model.', example: 'local/echo' }) }),
  output: machineModel,
  errorAs: errorAsVendor,
  errors: ['not-found'],
  uses: { models: 'read' },
} as const

/** The parts that `listMachineModels` and `listApiModels` share. */
export const allModels = { limit: 'llm', output: modelList, errorAs: errorAsVendor, uses: { models: 'read' } } as const
