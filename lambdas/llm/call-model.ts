import * as z from 'zod'
import { findModel, holdCall } from '../../app/models/hold-call.ts'
import { apiFormats, apiPaths } from '../../domain/models/api-formats.ts'
import { exampleRefusals } from '../../domain/models/provider-refusal.ts'
import { operation } from '../kit/operation.ts'
import { callErrors, callUses, errorAsFormat, readCall, respond } from './model-call.ts'
import { tokenSpender } from './token-call.ts'

const [path, ...aliases] = apiFormats.flatMap((format) => apiPaths(format.path)) as ReturnType<typeof apiPaths> // safe because there are formats, and each has its paths

export const callModel = operation({
  id: 'callModel',
  summary: 'Call a model from your own program, paid from the wallet',
  description:
    'For the SDKs of OpenAI and Anthropic, with a token as their API key. Models, prices, caps and receipts are the ' +
    'same as for the agent’s own calls. The call counts as `api` and for the token. Model: `provider/model`, or ' +
    '`default`. Unknown fields go to the provider unchanged. Revoking the token ends the call.',
  http: { method: 'POST', path, aliases, stream: true, rawBody: true },
  auth: 'pat',
  scope: 'api:llm',
  limit: 'llm',
  input: z.looseObject({}),
  output: z.looseObject({}),
  errors: callErrors,
  errorAs: errorAsFormat,
  refusals: exampleRefusals,
  uses: { ...callUses, tokens: 'read' },
  run: async ({ actor, deps, now, request }) => {
    const parts = readCall(request)
    const [model, spender] = await Promise.all([
      findModel(deps.models, parts.call.model, undefined),
      tokenSpender(deps, actor, now),
    ])
    const call = { ...parts, ...spender, model, now }
    return respond(await holdCall(deps, call, [deps.tokens.isAlive(actor.tokenId, now)]))
  },
})
