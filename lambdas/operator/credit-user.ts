import { actKey, amountWithin, checkNotOwn, countInDay, creditByHand } from '../../app/operator/money.ts'
import { mustExist } from '../../app/operator/overview.ts'
import { recordLine } from '../../app/wallet/record-line.ts'
import { conflict } from '../../domain/errors.ts'
import { creditInput, moved } from '../../domain/operator/money.ts'
import { showWallet } from '../../domain/wallet/wallet.ts'
import { operation } from '../kit/operation.ts'

export const creditUser = operation({
  id: 'creditUser',
  summary: 'Give a user promotional credit',
  description: 'Requires an `Idempotency-Key`; one key credits only once, forever. The reason is stored in the ledger.',
  http: { method: 'POST', path: '/operator/users/{user}/credit', status: 201 },
  auth: 'operator',
  creates: true,
  commits: true,
  input: creditInput,
  output: moved,
  errors: ['not-found', 'conflict'],
  uses: { events: 'write', operators: 'read', operatorTotals: 'write', users: 'read', wallets: 'write' },
  run: async ({ input: { user, amountCents, reason }, actor, deps, now, request, outboxFor }) => {
    checkNotOwn(actor, user)
    const act = { userId: user, key: actKey(request.headers), micros: amountWithin(deps, amountCents), reason }
    await mustExist(deps, user)
    const counted = countInDay(deps, actor, amountCents, now)
    const line = await creditByHand(deps, act, now, outboxFor(act.key), counted)
    if (!line) throw conflict('An earlier request with this Idempotency-Key gave a credit.')
    await recordLine(deps, user, line)
    return { transaction: line, wallet: showWallet(await deps.wallets.read(user), now) }
  },
})
