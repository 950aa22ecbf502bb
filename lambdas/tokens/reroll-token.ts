import * as z from 'zod'
import { budgetOf, findBudget } from '../../app/tokens/budget.ts'
import { tellOwner } from '../../app/tokens/tell-owner.ts'
import { notFound } from '../../domain/errors.ts'
import { spends } from '../../domain/spending-scope.ts'
import { decideReroll, mintedPat, showPat } from '../../domain/tokens/pat.ts'
import { operation } from '../kit/operation.ts'

export const rerollToken = operation({
  id: 'rerollToken',
  summary: 'Replace a token with a new one that has the same scopes and expiry',
  description:
    'The old token stays valid for `graceHours`, so that you can update your programs; with 0 it ends at once. A ' +
    'token can be rerolled once. A token may reroll itself and the tokens that it created, and with ' +
    '`api:tokens.write` any token whose scopes it has itself. The new token never outlives the token that made the ' +
    'request. A token with a spending cap cannot reroll other tokens that have `api:llm`.',
  http: { method: 'POST', path: '/tokens/{id}/reroll', status: 201 },
  creates: true,
  auth: 'user',
  recentSignIn: true,
  input: z.strictObject({
    id: z.string().max(100),
    graceHours: z.number().min(0).max(24).default(0).meta({ description: 'Hours, 0–24.', example: 24 }),
  }),
  output: mintedPat,
  errors: ['not-found', 'forbidden', 'conflict'],
  uses: { tokens: 'write', events: 'write', users: 'read', mail: 'write' },
  commits: true,
  run: async ({ input, actor, deps, now, outboxFor }) => {
    const old = await deps.tokens.find(input.id)
    if (!old || old.userId !== actor.userId) throw notFound('token')
    const byAnother = actor.kind === 'pat' && actor.tokenId !== old.id && old.scopes.some(spends)
    const budgets = {
      old: old.scopes.some(spends) ? await budgetOf(deps, old) : undefined,
      asking: byAnother ? await findBudget(deps, actor.tokenId, now) : undefined,
    }
    const { next, endsAt } = decideReroll(actor, old, input.graceHours, now, budgets)
    const outbox = outboxFor(old.id, await tellOwner(deps, actor, 'token', next.name, now))
    const { record, plaintext } = await deps.tokens.reroll(old, next, endsAt, outbox)
    await outbox.flush()
    await deps.events.record(actor.userId, 'token.created', { id: record.id, name: record.name, replaces: old.id })
    return { ...showPat(record, now), plaintext }
  },
})
