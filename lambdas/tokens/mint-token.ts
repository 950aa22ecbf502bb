import * as z from 'zod'
import { findBudget } from '../../app/tokens/budget.ts'
import { tellOwner } from '../../app/tokens/tell-owner.ts'
import { defaultScopes, scope } from '../../domain/scopes.ts'
import { spends } from '../../domain/spending-scope.ts'
import { decideMint, defaultExpiryDays, mintedPat, showPat, tokenCap, tokenName } from '../../domain/tokens/pat.ts'
import { operation } from '../kit/operation.ts'

export const mintToken = operation({
  id: 'mintToken',
  summary: 'Create a Personal Access Token',
  description:
    'Only this answer contains the plaintext. A token can give only scopes that it has itself, can create at most ' +
    '500 tokens, and revokes them when it is revoked. An account has at most 500 active tokens and connected ' +
    'programs.',
  http: { method: 'POST', path: '/tokens', status: 201 },
  creates: true,
  auth: 'user',
  recentSignIn: {
    when: 'a requested scope does not begin with `mcp:`',
    appliesTo: ({ scopes }) => scopes.some((scope) => !scope.startsWith('mcp:')),
  },
  input: z.strictObject({
    name: tokenName,
    scopes: z.array(scope).min(1).default(defaultScopes).meta({ description: 'Default: every MCP tool.' }),
    expiresInDays: z
      .int()
      .min(1)
      .max(365)
      .optional()
      .meta({
        description: `Days. Default: ${defaultExpiryDays}, or the remaining lifetime of the token that makes the request. \`expiresAt\` has the date.`,
        example: 30,
      }),
    capMicros: tokenCap.optional().meta({
      description: 'Maximum total spending on model calls, in µUSD; only with `api:llm`. Default: no cap.',
      example: 5_000_000,
    }),
    dailyCapMicros: tokenCap.optional().meta({
      description: 'Maximum spending in a UTC day, in µUSD; only with `api:llm`.',
      example: 500_000,
    }),
    monthlyCapMicros: tokenCap.optional().meta({
      description: 'Maximum spending in a calendar month (UTC), in µUSD; only with `api:llm`.',
      example: 3_000_000,
    }),
  }),
  output: mintedPat,
  errors: ['conflict'],
  uses: { tokens: 'write', events: 'write', users: 'read', mail: 'write' },
  commits: true,
  run: async ({ input, actor, deps, now, outboxFor }) => {
    const byToken = actor.kind === 'pat' && input.scopes.some(spends)
    const budget = byToken ? await findBudget(deps, actor.tokenId, now) : undefined
    const token = decideMint(actor, input, now, budget)
    const secret = deps.tokens.newSecret()
    const outbox = outboxFor(secret.id, await tellOwner(deps, actor, 'token', token.name, now))
    const { record, plaintext } = await deps.tokens.mint(token, secret, outbox)
    await outbox.flush()
    await deps.events.record(actor.userId, 'token.created', { id: record.id, name: record.name })
    return { ...showPat(record, now), plaintext }
  },
})
