import type { Base, Metadata } from './records.ts'

export interface PaymentMethod extends Base<'payment_method'> {
  customer: string | null
  type: 'card'
  card: { brand: string; country: string; exp_month: number; exp_year: number; funding: string; last4: string }
  metadata: Metadata
  [more: string]: unknown
  local: { number: string }
}

export interface Refund extends Base<'refund'> {
  amount: number
  charge: string
  payment_intent: string
  currency: string
  status: 'succeeded' | 'failed'
  metadata: Metadata
  [more: string]: unknown
}

export interface Dispute extends Base<'dispute'> {
  amount: number
  charge: string
  payment_intent: string
  currency: string
  status: 'needs_response' | 'won' | 'lost'
  [more: string]: unknown
}

export interface FraudWarning extends Base<'radar.early_fraud_warning'> {
  charge: string
  payment_intent: string
  actionable: boolean
  fraud_type: string
}
