import { largeVendorPath } from '../../domain/models/api-formats.ts'
import { operation } from '../kit/operation.ts'
import { countOf, tokenCounting } from './count-tokens.ts'
import { bodyUses, withBody } from './machine-call.ts'

export const countLargeTokens = operation({
  ...tokenCounting,
  id: 'countLargeTokens',
  summary: 'Estimate the input tokens of an uploaded message, free of charge',
  description: 'Like `countTokens`, for a body that was uploaded and is named in the header `x-berth-body`.',
  http: { method: 'POST', path: largeVendorPath('/messages/count_tokens'), rawBody: true },
  auth: 'llm',
  admission: 'wallet',
  errors: ['invalid-json', 'not-found', 'wallet-empty', 'spending-limit', 'wallet-suspended', 'too-large'],
  uses: { ...bodyUses, models: 'read' },
  run: async (context) => {
    const { rawBody, headers } = await withBody(context.deps, context)
    return countOf(context.deps.models, rawBody, headers['x-berth-model'])
  },
})
