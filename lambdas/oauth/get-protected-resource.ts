import * as z from 'zod'
import { protectedResource } from '../../domain/oauth/metadata.ts'
import { operation } from '../kit/operation.ts'

export const getProtectedResource = operation({
  id: 'getProtectedResource',
  summary: 'OAuth: get the metadata of the MCP endpoint',
  description: 'RFC 9728. The root of the host serves it too, at `/.well-known/oauth-protected-resource/api/mcp`.',
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
