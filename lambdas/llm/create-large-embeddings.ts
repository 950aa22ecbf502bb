import { largeVendorPath } from '../../domain/models/api-formats.ts'
import { openaiEmbeddings } from '../../domain/models/openai-embeddings.ts'
import { operation } from '../kit/operation.ts'
import { createEmbeddings, embed, embeddingCreation, embeddingUses } from './create-embeddings.ts'
import { bodyUses, withBody } from './machine-call.ts'

export const createLargeEmbeddings = operation({
  ...embeddingCreation,
  id: 'createLargeEmbeddings',
  summary: 'Create embeddings of an uploaded body, paid from the wallet',
  description: 'Like `createEmbeddings`, for a body that was uploaded and is named in the header `x-berth-body`.',
  http: { method: 'POST', path: largeVendorPath(openaiEmbeddings.path), stream: true, rawBody: true },
  auth: 'llm',
  admission: 'wallet',
  errors: createEmbeddings.errors,
  uses: { ...embeddingUses, ...bodyUses },
  run: async (context) => embed(context, await withBody(context.deps, context)),
})
