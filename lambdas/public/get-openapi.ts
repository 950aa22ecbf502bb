import * as z from 'zod'
import { operation } from '../kit/operation.ts'

export const getOpenapi = operation({
  id: 'getOpenapi',
  summary: 'This API as an OpenAPI 3.1 document',
  http: { method: 'GET', path: '/openapi.json' },
  auth: 'none',
  limit: null,
  input: z.strictObject({}),
  output: z.record(z.string(), z.unknown()),
  errors: [],
  uses: ['openapi'],
  run: ({ deps }) => deps.openapi.read(),
})
