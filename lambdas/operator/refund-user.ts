import { actKey, amountWithin, checkNotOwn, countInDay, refundByHand } from '../../app/operator/money.ts'
import { recordLine } from '../../app/wallet/record-line.ts'
import { conflict } from '../../domain/errors.ts'
import { moved, refundInput } from '../../domain/operator/money.ts'
import { showWallet } from '../../domain/wallet/wallet.ts'
import { operation } from '../kit/operation.ts'

export const refundUser = operation({
  id: 'refundUser',
  summary: 'Take back the credit of a payment that was refunded elsewhere',
  description:
    'For money that was returned outside the billing provider; the provider reports its own refunds. At most the ' +
    'credit of the payment can be taken back. An amount that the balance cannot cover becomes owed. Requires an ' +
    '`Idempotency-Key`; one key works only once, forever.',
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
      throw conflict('This payment has no credit left, or an earlier request with this Idempotency-Key took it back.')
    await recordLine(deps, user, line)
    return { transaction: line, wallet: showWallet(await deps.wallets.read(user), now) }
  },
})
