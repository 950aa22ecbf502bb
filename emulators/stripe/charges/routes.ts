import * as z from 'zod'
import type { Account } from '../account.ts'
import { expand, get, list, metadata, type Route, read, retrieve, same, text } from '../api/route.ts'
import { chargeOf, refund } from './charges.ts'

const refundInput = z.strictObject({
  charge: text,
  payment_intent: text,
  amount: z.coerce.number().int().optional(),
  reason: text,
  metadata: metadata.optional(),
  expand,
})

/** Payment intents, charges, payment methods, refunds, disputes and early fraud warnings. */
export function chargeRoutes(account: Account): Route[] {
  const { value } = account.store
  return [
    retrieve('/v1/payment_intents', 'payment_intent', value.paymentIntents),
    list('/v1/payment_intents', value.paymentIntents, { customer: text }, (record, input) =>
      same(input.customer, record.customer),
    ),
    retrieve('/v1/charges', 'charge', value.charges),
    list(
      '/v1/charges',
      value.charges,
      { customer: text, payment_intent: text },
      (record, input) => same(input.customer, record.customer) && same(input.payment_intent, record.payment_intent),
    ),
    retrieve('/v1/payment_methods', 'payment_method', value.paymentMethods),
    list(
      '/v1/payment_methods',
      value.paymentMethods,
      { customer: text, type: text },
      (record, input) => same(input.customer, record.customer) && same(input.type, record.type),
    ),
    retrieve('/v1/refunds', 'refund', value.refunds),
    list(
      '/v1/refunds',
      value.refunds,
      { charge: text, payment_intent: text },
      (record, input) => same(input.charge, record.charge) && same(input.payment_intent, record.payment_intent),
    ),
    {
      method: 'POST',
      path: '/v1/refunds',
      run(input) {
        const request = read(refundInput, input)
        if (request.payment_intent) return refund(account, chargeOf(account, request.payment_intent), request.amount)
        return refund(account, get(value.charges, 'charge', request.charge ?? ''), request.amount)
      },
    },
    retrieve('/v1/disputes', 'dispute', value.disputes),
    list(
      '/v1/disputes',
      value.disputes,
      { charge: text, payment_intent: text },
      (record, input) => same(input.charge, record.charge) && same(input.payment_intent, record.payment_intent),
    ),
    retrieve('/v1/radar/early_fraud_warnings', 'radar.early_fraud_warning', value.warnings),
  ]
}
