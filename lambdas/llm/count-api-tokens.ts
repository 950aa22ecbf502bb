import * as z from 'zod'
import { apiPaths } from '../../domain/models/api-formats.ts'
import { operation } from '../kit/operation.ts'
import { countOf, errorAsAnthropic, messageExample, tokenCount } from './count-tokens.ts'

const [path, ...aliases] = apiPaths('/messages/count_tokens')

export const countApiTokens = operation({
  id: 'countApiTokens',
  summary: 'Roughly the input tokens of a message of your own program, for nothing',
  description:
    'Counted as a call is whose provider reports nothing: four bytes a token. Half to twice of what is billed.',
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
