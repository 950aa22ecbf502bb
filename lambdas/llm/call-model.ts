import * as z from 'zod'
import { findModel, holdCall } from '../../app/models/hold-call.ts'
import { findBudget } from '../../app/tokens/budget.ts'
import { apiFormats, apiPaths } from '../../domain/models/api-formats.ts'
import { isRevoked } from '../../domain/tokens/pat.ts'
import { operation } from '../kit/operation.ts'
import { callErrors, callUses, errorAsFormat, readCall, respond } from './model-call.ts'

const [path, ...aliases] = apiFormats.flatMap((format) => apiPaths(format.path)) as ReturnType<typeof apiPaths> // safe because there are formats, and each has its paths

export const callModel = operation({
  id: 'callModel',
  summary: 'A model call of your own program, paid from the wallet',
  description:
    'For the SDKs of OpenAI and Anthropic with a token as their API key: the same models, prices, caps and receipts as the ' +
    'agent’s own calls, counted as `api` and for the token. Model: `provider/model`, or `default`. Fields that are not known ' +
    'here go to the provider as they came. The call ends when its token is revoked.',
  http: { method: 'POST', path, aliases, stream: true, rawBody: true },
  auth: 'pat',
  scope: 'api:llm',
  limit: 'llm',
  input: z.looseObject({}),
  output: z.looseObject({}),
  errors: callErrors,
  errorAs: errorAsFormat,
  uses: { ...callUses, tokens: 'read' },
  run: async ({ actor: { userId, tokenId }, deps, now, request }) => {
    const asked = readCall(request)
    const [model, budget] = await Promise.all([
      findModel(deps.models, asked.call.model, undefined),
      findBudget(deps, tokenId, now),
    ])
    const isAlive = async () => !isRevoked(await deps.tokens.find(tokenId))
    const call = { ...asked, userId, spender: { budget }, isAlive, model, trigger: 'api' as const, promptId: null, now }
    return respond(await deps.tokens.whileAlive(tokenId, now, () => holdCall(deps, call)))
  },
})
