import { apiPaths } from '../../domain/models/api-formats.ts'
import { operation } from '../kit/operation.ts'
import { countOf, tokenCounting } from './count-tokens.ts'

const [path, ...aliases] = apiPaths('/messages/count_tokens')

export const countApiTokens = operation({
  ...tokenCounting,
  id: 'countApiTokens',
  summary: 'Estimate the input tokens of a message from your own program, free of charge',
  http: { method: 'POST', path, aliases, rawBody: true },
  auth: 'pat',
  scope: 'api:llm',
  errors: ['invalid-json'],
  uses: { models: 'read' },
  run: ({ deps, request }) => countOf(deps.models, request.rawBody, undefined),
})
