import type { EventOf, PaidPeriod, PaymentEvent, ProviderPayment } from './payment-event.ts'

export type PaymentStep =
  /** Wakes the instance, too, if the payment belongs to a top-up of ours. */
  | { do: 'credit-top-up'; paid: EventOf<'topup-paid'> }
  | { do: 'fail-top-up'; failed: EventOf<'topup-failed'> }
  /** Credits a top-up whose `topup-paid` event has not arrived. */
  | { do: 'credit-missed-top-up'; userId: string; checkoutId: string; paymentId: string; isDisputed: boolean }
  | { do: 'credit-period'; period: PaidPeriod; asOfSeconds: number; isDisputed: boolean }
  | { do: 'report-unpaid-period'; unpaid: EventOf<'period-unpaid'> }
  | { do: 'follow-subscription'; changed: EventOf<'subscription-changed'> }
  | { do: 'freeze-for-fraud'; userId: string }
  | { do: 'reverse'; payment: ProviderPayment }
  | { do: 'wake'; userId: string }

export type StepOf<K extends PaymentStep['do']> = Extract<PaymentStep, { do: K }>

/** The effects of an event, in their order. Each may be repeated. */
export function stepsOf(event: PaymentEvent): PaymentStep[] {
  switch (event.kind) {
    case 'topup-paid':
      return [{ do: 'credit-top-up', paid: event }]
    case 'topup-failed':
      return [{ do: 'fail-top-up', failed: event }]
    case 'payment-changed':
      return [
        ...(event.fraudWarning ? [{ do: 'freeze-for-fraud', userId: event.userId } as const] : []),
        creditBefore(event),
        { do: 'reverse', payment: event },
      ]
    case 'subscription-changed':
      return [{ do: 'follow-subscription', changed: event }]
    case 'period-paid':
      return [
        { do: 'credit-period', period: event, asOfSeconds: event.createdSeconds, isDisputed: false },
        { do: 'wake', userId: event.userId },
      ]
    case 'period-unpaid':
      return [{ do: 'report-unpaid-period', unpaid: event }]
    case 'ignored':
      return []
  }
}

/** A payment that can be reversed was paid, so it is credited first if its own event is missing. */
function creditBefore(changed: EventOf<'payment-changed'>): PaymentStep {
  const { userId, paymentId, credited, createdSeconds } = changed
  const isDisputed = changed.disputes.length > 0
  return 'checkoutId' in credited
    ? { do: 'credit-missed-top-up', userId, checkoutId: credited.checkoutId, paymentId, isDisputed }
    : { do: 'credit-period', period: credited.period, asOfSeconds: createdSeconds, isDisputed }
}
