import * as z from 'zod'
import { findModel } from '../../app/models/hold-call.ts'
import type { Models } from '../../app/ports/models.ts'
import type { DomainError } from '../../domain/errors.ts'
import { anthropicMessages, parseToCount } from '../../domain/models/anthropic-messages.ts'
import { vendorPaths } from '../../domain/models/api-formats.ts'
import { countInput } from '../../domain/models/settlement.ts'
import { operation } from '../kit/operation.ts'
import { refuseUploadedBody } from './machine-call.ts'

const [path, ...aliases] = vendorPaths('/messages/count_tokens')

/** The parts that `countTokens` and `countApiTokens` share. */
export const tokenCounting = {
  description:
    'Counts four bytes as one token, as for a call whose provider reports no usage. The estimate is between half ' +
    'and twice the billed number.',
  limit: 'llm',
  input: z.looseObject({}),
  output: z.object({ input_tokens: z.int().min(0) }).meta({ id: 'TokenCount' }),
  exampleInput: { model: 'default', messages: [{ role: 'user', content: 'Hello' }] },
  errorAs: (error: DomainError, status: number) => anthropicMessages.showError(error, status),
} as const

/** @throws invalid-json, validation */
export async function countOf(models: Models, rawBody: string, own: string | undefined) {
  const call = parseToCount(rawBody)
  return { input_tokens: countInput(call, await findModel(models, call.model, own)) }
}

export const countTokens = operation({
  ...tokenCounting,
  id: 'countTokens',
  summary: 'Estimate the input tokens of a message, free of charge',
  http: { method: 'POST', path, aliases, rawBody: true },
  auth: 'llm',
  admission: 'wallet',
  errors: ['invalid-json', 'not-found'],
  uses: { models: 'read' },
  run: async ({ deps, admit, request }) => {
    refuseUploadedBody(request)
    await admit()
    return countOf(deps.models, request.rawBody, request.headers['x-berth-model'])
  },
})
