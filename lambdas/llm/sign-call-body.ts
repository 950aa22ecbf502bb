import * as z from 'zod'
import { signBody } from '../../app/models/call-bodies.ts'
import { proxyPath } from '../../domain/models/api-formats.ts'
import { maxCallBytes } from '../../domain/models/call-limits.ts'
import { sha256 } from '../../domain/sha256.ts'
import { operation } from '../kit/operation.ts'
import { bodyUses, readTurn } from './machine-call.ts'

export const signCallBody = operation({
  id: 'signCallBody',
  summary: 'Create an upload address for the body of a large model call',
  description:
    'For a body over 4 MB. PUT it to `url` with exactly its `Content-Length` and `x-amz-checksum-sha256` (base64), ' +
    'then make the call below `/llm/proxy/large`, without a body and with the header `x-berth-body: <id>`. The address ' +
    'is valid for five minutes, the id for one call.',
  http: { method: 'POST', path: `${proxyPath}/bodies` },
  auth: 'llm',
  limit: 'llm',
  admission: 'wallet',
  input: z.strictObject({
    size: z
      .int()
      .min(1)
      .meta({ description: `Bytes, at most ${maxCallBytes}.` }),
    sha256: sha256.meta({ description: 'SHA-256 of the whole body, in hex.' }),
  }),
  output: z
    .object({ id: z.string().meta({ description: 'Names the body in `x-berth-body`.' }), url: z.url() })
    .meta({ id: 'CallBody' }),
  errors: ['wallet-empty', 'spending-limit', 'wallet-suspended', 'too-large'],
  uses: bodyUses,
  run: async ({ input, actor, deps, now, request, admit }) => {
    await admit()
    const { trigger } = await readTurn(deps, actor, request.headers, now)
    return signBody(deps, { ...actor, trigger }, input, now)
  },
})
