import * as z from 'zod'
import { findModel } from '../../app/models/hold-call.ts'
import { anthropicMessages, parseToCount } from '../../domain/models/anthropic-messages.ts'
import { vendorPaths } from '../../domain/models/api-formats.ts'
import { countInput } from '../../domain/models/settlement.ts'
import { operation } from '../kit/operation.ts'

const [path, ...aliases] = vendorPaths('/messages/count_tokens')

export const countTokens = operation({
  id: 'countTokens',
  summary: 'Roughly the input tokens of a message, for nothing',
  description:
    'Counted as a call is whose provider reports nothing: four bytes a token. Half to twice of what is billed.',
  http: { method: 'POST', path, aliases, rawBody: true },
  auth: 'llm',
  limit: 'llm',
  admission: 'wallet',
  input: z.looseObject({}),
  output: z.object({ input_tokens: z.int().min(0) }).meta({ id: 'TokenCount' }),
  exampleInput: { model: 'default', messages: [{ role: 'user', content: 'Hello' }] },
  errors: ['invalid-json'],
  errorAs: (error, status) => anthropicMessages.showError(error, status),
  uses: { models: 'read', wallets: 'write' },
  run: async ({ deps, request, admit }) => {
    await admit()
    const call = parseToCount(request.rawBody)
    const model = await findModel(deps.models, call.model, request.headers['x-berth-model'])
    return { input_tokens: countInput(call, model) }
  },
})
