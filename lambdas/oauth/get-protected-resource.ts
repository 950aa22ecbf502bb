import * as z from 'zod'
import { protectedResource } from '../../domain/oauth/metadata.ts'
import { operation } from '../kit/operation.ts'

export const getProtectedResource = operation({
  id: 'getProtectedResource',
  summary: 'OAuth: what protects the MCP endpoint',
  description: 'RFC 9728. Served below the root of the host too: `/.well-known/oauth-protected-resource/api/mcp`.',
  http: {
    method: 'GET',
    path: '/.well-known/oauth-protected-resource',
    aliases: ['/.well-known/oauth-protected-resource/api/mcp'],
  },
  auth: 'none',
  limit: null,
  output: z.record(z.string(), z.unknown()),
  example: protectedResource('https://berth.example.com'),
  uses: {},
  run: async ({ deps }) => protectedResource(deps.settings.publicOrigin),
})
