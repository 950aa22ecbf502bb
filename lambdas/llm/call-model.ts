import * as z from 'zod'
import { findModel, holdCall } from '../../app/models/hold-call.ts'
import { apiFormats, apiPaths } from '../../domain/models/api-formats.ts'
import { exampleRefusals } from '../../domain/models/refusal.ts'
import { operation } from '../kit/operation.ts'
import { callErrors, callUses, errorAsFormat, readCall, respond } from './model-call.ts'
import { tokenSpender } from './token-call.ts'

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
  refusals: exampleRefusals,
  uses: { ...callUses, tokens: 'read' },
  run: async ({ actor, deps, now, request }) => {
    const asked = readCall(request)
    const [model, spender] = await Promise.all([
      findModel(deps.models, asked.call.model, undefined),
      tokenSpender(deps, actor, now),
    ])
    const call = { ...asked, ...spender, model, now }
    return respond(await holdCall(deps, call, [deps.tokens.isAlive(actor.tokenId, now)]))
  },
})
