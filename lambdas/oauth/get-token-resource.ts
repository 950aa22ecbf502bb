import * as z from 'zod'
import { tokenResource } from '../../domain/oauth/metadata.ts'
import { operation } from '../kit/operation.ts'

export const getTokenResource = operation({
  id: 'getTokenResource',
  summary: 'OAuth: get the metadata of the MCP endpoint for tokens',
  description:
    'RFC 9728. The metadata names no authorization server, so a client that looks for one before it connects keeps ' +
    'using its token.',
  http: { method: 'GET', path: '/.well-known/oauth-protected-resource/api/mcp-token' },
  auth: 'none',
  limit: null,
  output: z.record(z.string(), z.unknown()),
  example: tokenResource('https://berth.example.com'),
  uses: {},
  run: async ({ deps }) => tokenResource(deps.settings.publicOrigin),
})
