import { actKey, amountWithin, checkNotOwn, countInDay, refundByHand } from '../../app/operator/money.ts'
import { recordLine } from '../../app/wallet/record-line.ts'
import { conflict } from '../../domain/errors.ts'
import { moved, refundInput } from '../../domain/operator/money.ts'
import { showWallet } from '../../domain/wallet/wallet.ts'
import { operation } from '../kit/operation.ts'

export const refundUser = operation({
  id: 'refundUser',
  summary: 'Take back what a payment credited, after its money went back',
  description:
    'For money that was given back outside the billing provider, which tells of its own refunds. Never more than the payment credited; what the ' +
    'balance does not cover becomes owed. Once for ever under one `Idempotency-Key`, which it wants.',
  http: { method: 'POST', path: '/operator/users/{user}/refund', status: 201 },
  auth: 'operator',
  creates: true,
  commits: true,
  input: refundInput,
  output: moved,
  errors: ['not-found', 'conflict'],
  uses: { events: 'write', operators: 'read', operatorTotals: 'write', wallets: 'write' },
  run: async ({ input: { user, payment, amountCents, reason }, actor, deps, now, request, outboxFor }) => {
    checkNotOwn(actor, user)
    const act = { userId: user, key: actKey(request.headers), micros: amountWithin(deps, amountCents), reason }
    const counted = countInDay(deps, actor, amountCents, now)
    const line = await refundByHand(deps, act, payment, now, outboxFor(payment), counted)
    if (!line)
      throw conflict('Nothing of this payment is left, or it was taken back under this Idempotency-Key before.')
    await recordLine(deps, user, line)
    return { transaction: line, wallet: showWallet(await deps.wallets.read(user), now) }
  },
})
