import { findById } from '../../kit/records.ts'
import { StripeError } from '../api/error.ts'
import type { PaymentMethod } from '../records.ts'
import { newId, nowSeconds } from '../store.ts'

/** Why a card does not pay, as Stripe names it. */
export interface Decline {
  type: 'card_error'
  code: string
  decline_code: string
  message: string
}

const decline = (decline_code: string, message: string, code = 'card_declined'): Decline => ({
  type: 'card_error',
  code,
  decline_code,
  message,
})

export const genericDecline = decline('generic_decline', 'Your card was declined.')
const insufficientFunds = decline('insufficient_funds', 'Your card has insufficient funds.')
const authenticationRequired = decline(
  'authentication_required',
  'Your card was declined. This transaction requires authentication.',
  'authentication_required',
)

interface Behaviour {
  /** For people: `pays`, `is declined`. */
  label: string
  /** While its owner is there: paid, declined, or to be confirmed with the bank first. */
  present: Decline | 'confirm' | null
  /** Later, from what was saved. */
  later: Decline | null
  /** The automatic consequences of a payment. */
  effect?: 'dispute' | 'warning'
}

/** Stripe's own test numbers, and what each does here. */
export const testCards: Record<string, Behaviour> = {
  '4242424242424242': { label: 'pays', present: null, later: null },
  '4000000000000002': { label: 'is declined', present: genericDecline, later: genericDecline },
  '4000000000009995': { label: 'has insufficient funds', present: insufficientFunds, later: insufficientFunds },
  '4000002500003155': { label: 'asks its bank once, then pays', present: 'confirm', later: null },
  '4000002760003184': { label: 'asks its bank every time', present: 'confirm', later: authenticationRequired },
  '4000000000000341': { label: 'pays now, and is declined later', present: null, later: genericDecline },
  '4000000000000259': { label: 'pays, and is disputed', present: null, later: null, effect: 'dispute' },
  '4000000000005423': { label: 'pays, and brings a fraud warning', present: null, later: null, effect: 'warning' },
}

export const defaultCard = '4242424242424242'

/** @throws StripeError for a number that is none of Stripe's test cards */
export function behaviourOf(number: string): Behaviour {
  const found = findById(testCards, number)
  if (found) return found
  throw new StripeError(402, 'Your card number is not one of the test cards.', {
    type: 'card_error',
    code: 'incorrect_number',
  })
}

export const cardError = (declined: Decline) => new StripeError(402, declined.message, declined)

/** A card as it is saved. Its number never leaves the emulator. */
export function newCard(number: string, customer: string | null): PaymentMethod {
  return {
    id: newId('pm'),
    object: 'payment_method',
    created: nowSeconds(),
    livemode: false,
    allow_redisplay: 'limited',
    billing_details: { address: null, email: null, name: null, phone: null, tax_id: null },
    card: {
      brand: 'visa',
      country: 'US',
      exp_month: 12,
      exp_year: 2040,
      funding: 'credit',
      last4: number.slice(-4),
    },
    customer,
    metadata: {},
    type: 'card',
    local: { number },
  }
}
