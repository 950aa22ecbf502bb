import * as z from 'zod'
import { operation } from '../kit/operation.ts'
import { checkOrigin, namesInput, protocolAnswers, refuseRevision } from './protocol.ts'

export const mcpClose = operation({
  id: 'mcpClose',
  summary: 'Model Context Protocol: end a session',
  description: 'The endpoint is stateless, so there is nothing to end.',
  http: {
    method: 'DELETE',
    path: '/mcp',
    aliases: ['/mcp-token'],
    status: 204,
    stream: true,
    protocol: protocolAnswers('DELETE'),
  },
  auth: 'user',
  limit: 'read',
  input: namesInput,
  output: z.record(z.string(), z.unknown()),
  uses: {},
  run: async ({ deps, request }) => {
    checkOrigin({ deps, request })
    return refuseRevision(request) ?? { status: 204, headers: {}, body: '' }
  },
})
