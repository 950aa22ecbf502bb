import * as z from 'zod'
import type { DomainError } from '../../domain/errors.ts'
import { isEmbedding, type PricedModel } from '../../domain/models/model.ts'
import { anthropicError, openaiError, type VendorError } from '../../domain/models/vendor-errors.ts'

/** A model with the fields of both vendors' APIs, whose SDKs each read their own. */
export const machineModel = z
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
      .meta({ description: 'What it makes: a model for embeddings answers nobody.' }),
  })
  .meta({ id: 'MachineModel' })

export const showMachineModel = ({
  id,
  provider,
  contextTokens,
  formats,
}: PricedModel): z.infer<typeof machineModel> => ({
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

/** At an address both vendors' SDKs ask, Anthropic's names its version with each request. */
export const errorAsVendor = (
  error: DomainError,
  status: number,
  { headers }: { headers: Readonly<Record<string, string>> },
): VendorError =>
  headers['anthropic-version'] === undefined ? openaiError(error, status) : anthropicError(error, status)
