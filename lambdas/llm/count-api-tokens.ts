import * as z from 'zod'
import { apiPaths } from '../../domain/models/api-formats.ts'
import { operation } from '../kit/operation.ts'
import { countOf, errorAsAnthropic, messageExample, tokenCount } from './count-tokens.ts'

const [path, ...aliases] = apiPaths('/messages/count_tokens')

export const countApiTokens = operation({
  id: 'countApiTokens',
  summary: 'Estimate the input tokens of a message from your own program, free of charge',
  description:
    'Counts four bytes as one token, as for a call whose provider reports no usage. The estimate is between half ' +
    'and twice the billed number.',
  http: { method: 'POST', path, aliases, rawBody: true },
  auth: 'pat',
  scope: 'api:llm',
  limit: 'llm',
  input: z.looseObject({}),
  output: tokenCount,
  exampleInput: messageExample,
  errors: ['invalid-json'],
  errorAs: errorAsAnthropic,
  uses: { models: 'read' },
  run: ({ deps, request }) => countOf(deps.models, request.rawBody, undefined),
})
