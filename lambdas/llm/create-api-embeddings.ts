import { holdCall } from '../../app/models/hold-call.ts'
import { apiPaths } from '../../domain/models/api-formats.ts'
import { openaiEmbeddings as format } from '../../domain/models/openai-embeddings.ts'
import { operation } from '../kit/operation.ts'
import { embeddingCreation, readEmbeddings } from './create-embeddings.ts'
import { callErrors, callUses, respond } from './model-call.ts'
import { tokenSpender } from './token-call.ts'

const [path, ...aliases] = apiPaths(format.path)

export const createApiEmbeddings = operation({
  ...embeddingCreation,
  id: 'createApiEmbeddings',
  summary: 'Create embeddings of texts from your own program, paid from the wallet',
  http: { method: 'POST', path, aliases, stream: true, rawBody: true },
  auth: 'pat',
  scope: 'api:llm',
  errors: callErrors,
  uses: { ...callUses, tokens: 'read' },
  run: async ({ actor, deps, now, request }) => {
    const [parts, spender] = await Promise.all([readEmbeddings(deps.models, request), tokenSpender(deps, actor, now)])
    const call = { ...parts, ...spender, now }
    return respond(await holdCall(deps, call, [deps.tokens.isAlive(actor.tokenId, now)]))
  },
})
