import * as z from 'zod'
import { defaultScopes, scope } from '../../domain/scopes.ts'
import { decideMint } from '../../domain/tokens/mint.ts'
import { mintedPat, showPat, tokenName } from '../../domain/tokens/pat.ts'
import { operation } from '../kit/operation.ts'

export const mintToken = operation({
  id: 'mintToken',
  summary: 'Make a Personal Access Token',
  description:
    'The answer is the only one that ever carries the plaintext. A token can mint only what it may do itself, ends its own tokens when it is revoked, and has 500 at most.',
  http: { method: 'POST', path: '/tokens', status: 201 },
  auth: 'user',
  limit: 'write',
  input: z.strictObject({
    name: tokenName,
    scopes: z.array(scope).min(1).default(defaultScopes),
    expiresInDays: z.int().min(1).max(365).default(90),
  }),
  output: mintedPat,
  errors: ['conflict'],
  uses: ['tokens', 'events'],
  audit: ({ output }) => ({ record: output.id }),
  run: async ({ input, actor, deps, now }) => {
    const { record, plaintext } = await deps.tokens.mint(decideMint(actor, input, now))
    await deps.events.record(actor.userId, 'token.created', { id: record.id, name: record.name })
    return { ...showPat(record, now), plaintext }
  },
})
