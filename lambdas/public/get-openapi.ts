import * as z from 'zod'
import { operation } from '../kit/operation.ts'

export const getOpenapi = operation({
  id: 'getOpenapi',
  summary: 'Get this API as an OpenAPI 3.1 document',
  http: { method: 'GET', path: '/openapi.json', document: true },
  auth: 'none',
  limit: null,
  output: z.record(z.string(), z.unknown()),
  uses: { openapi: 'read' },
  run: ({ deps }) => deps.openapi.read(),
})
