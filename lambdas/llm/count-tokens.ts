import * as z from 'zod'
import { findModel } from '../../app/models/hold-call.ts'
import type { Models } from '../../app/ports/models.ts'
import type { DomainError } from '../../domain/errors.ts'
import { anthropicMessages, parseToCount } from '../../domain/models/anthropic-messages.ts'
import { vendorPaths } from '../../domain/models/api-formats.ts'
import { countInput } from '../../domain/models/settlement.ts'
import { operation } from '../kit/operation.ts'
import { bodyUses, withBody } from './machine-call.ts'

const [path, ...aliases] = vendorPaths('/messages/count_tokens')

export const tokenCount = z.object({ input_tokens: z.int().min(0) }).meta({ id: 'TokenCount' })
export const messageExample = { model: 'default', messages: [{ role: 'user', content: 'Hello' }] }
export const errorAsAnthropic = (error: DomainError, status: number) => anthropicMessages.showError(error, status)

/** @throws invalid-json, validation */
export async function countOf(models: Models, rawBody: string, own: string | undefined) {
  const call = parseToCount(rawBody)
  return { input_tokens: countInput(call, await findModel(models, call.model, own)) }
}

export const countTokens = operation({
  id: 'countTokens',
  summary: 'Estimate the input tokens of a message, free of charge',
  description:
    'Counts four bytes as one token, as for a call whose provider reports no usage. The estimate is between half ' +
    'and twice the billed number.',
  http: { method: 'POST', path, aliases, rawBody: true },
  auth: 'llm',
  limit: 'llm',
  admission: 'wallet',
  input: z.looseObject({}),
  output: tokenCount,
  exampleInput: messageExample,
  errors: ['invalid-json', 'not-found', 'wallet-empty', 'spending-limit', 'wallet-suspended', 'too-large'],
  errorAs: errorAsAnthropic,
  uses: { ...bodyUses, models: 'read' },
  run: async (context) => {
    const { deps, admit } = context
    const { rawBody, headers } = await withBody(deps, context)
    if (!headers['x-berth-body']) await admit()
    return countOf(deps.models, rawBody, headers['x-berth-model'])
  },
})
