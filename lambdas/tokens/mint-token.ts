import * as z from 'zod'
import { findBudget } from '../../app/tokens/budget.ts'
import { tellOwner } from '../../app/tokens/tell-owner.ts'
import { defaultScopes, scope } from '../../domain/scopes.ts'
import { spends } from '../../domain/spending-scope.ts'
import { decideMint, defaultExpiryDays, mintedPat, showPat, tokenCap, tokenName } from '../../domain/tokens/pat.ts'
import { operation } from '../kit/operation.ts'

export const mintToken = operation({
  id: 'mintToken',
  summary: 'Make a Personal Access Token',
  description:
    'The answer is the only one that ever carries the plaintext. A token can mint only what it may do itself, ends its own tokens when it is revoked, and has 500 at most. An account has at most 500 live tokens and connected programs.',
  http: { method: 'POST', path: '/tokens', status: 201 },
  creates: true,
  auth: 'user',
  recentSignIn: {
    when: 'a scope is asked for that does not begin with `mcp:`',
    appliesTo: ({ scopes }) => scopes.some((scope) => !scope.startsWith('mcp:')),
  },
  input: z.strictObject({
    name: tokenName,
    scopes: z.array(scope).min(1).default(defaultScopes).meta({ description: 'Every MCP tool when left out.' }),
    expiresInDays: z
      .int()
      .min(1)
      .max(365)
      .optional()
      .meta({
        description: `Days; ${defaultExpiryDays} when left out, or as long as the token that asks. \`expiresAt\` says the date.`,
        example: 30,
      }),
    capMicros: tokenCap.optional().meta({
      description: 'Most that it may spend on model calls in all, µUSD; with `api:llm` only, and none when left out.',
      example: 5_000_000,
    }),
    dailyCapMicros: tokenCap.optional().meta({
      description: 'Most that it may spend in a UTC day, µUSD; with `api:llm` only.',
      example: 500_000,
    }),
    monthlyCapMicros: tokenCap.optional().meta({
      description: 'Most that it may spend in a calendar month (UTC), µUSD; with `api:llm` only.',
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
    const wanted = decideMint(actor, input, now, budget)
    const secret = deps.tokens.newSecret()
    const outbox = outboxFor(secret.id, await tellOwner(deps, actor, 'token', wanted.name, now))
    const { record, plaintext } = await deps.tokens.mint(wanted, secret, outbox)
    await outbox.flush()
    await deps.events.record(actor.userId, 'token.created', { id: record.id, name: record.name })
    return { ...showPat(record, now), plaintext }
  },
})
