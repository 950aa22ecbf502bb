import * as z from 'zod'
import { auditEntry } from '../account/audit.ts'
import { returnedMails } from '../account/returned-mail.ts'
import { account } from '../account/user.ts'
import { subscription } from '../billing/subscription.ts'
import { instance } from '../instance/instance.ts'
import { failureReasons } from '../models/failure.ts'
import { unsignedMicros } from '../money.ts'
import { timestamp } from '../timestamp.ts'
import { wallet } from '../wallet/wallet.ts'

const paymentKinds = ['topup', 'auto-topup', 'plan', 'credit', 'adjustment', 'other'] as const
export type PaymentKind = (typeof paymentKinds)[number]

/** The kind of a credit without a checkout, by the beginning of its key. */
export const kindOfKey = (key: string): PaymentKind =>
  key.startsWith('allowance#')
    ? 'plan'
    : key.startsWith('credit#')
      ? 'credit'
      : key.startsWith('adjust#')
        ? 'adjustment'
        : 'other'

const payment = z.object({
  name: z.string().meta({ description: 'Its id for refundUser.', example: 'chk_01KAHB2N3P4Q5R6S7T8V9WXYZ0' }),
  kind: z.enum(paymentKinds).meta({
    description: '`plan`: the included credit of a paid month. `credit` and `adjustment`: by an operator.',
    example: 'topup',
  }),
  at: timestamp.nullable().meta({ description: 'When it was credited or, for a checkout, begun; null if unknown.' }),
  amountMicros: unsignedMicros.meta({ description: 'Credited, in µUSD.' }),
  takenBackMicros: unsignedMicros.meta({ description: 'Already taken back, in µUSD.' }),
})

/** The provider's own words are stored nowhere. */
const failedCall = z
  .object({
    at: timestamp,
    callId: z.string().meta({ example: 'call_01KAHB2N3P4Q5R6S7T8V9WXYZ0' }),
    model: z.string().meta({ example: 'anthropic/claude-sonnet-4-5' }),
    provider: z.string().meta({ example: 'anthropic' }),
    reason: z.enum(failureReasons).meta({ description: 'The reason why the provider gave no answer.' }),
  })
  .meta({ id: 'FailedCall' })
export type FailedCall = z.infer<typeof failedCall>

/** Contains no message, no file, no secret. */
export const userOverview = z
  .object({
    account,
    eraseAt: timestamp.nullable().meta({ description: 'When a deleted account is erased.' }),
    returnedMails: returnedMails.meta({ description: 'E-mails to this address that bounced in the last 30 days.' }),
    subscription,
    wallet,
    suspendedBecause: z
      .string()
      .nullable()
      .meta({ description: 'The reason for the suspension; null without one.', example: null }),
    instance: instance.nullable(),
    payments: z.array(payment).meta({ description: 'The wallet’s credits; fifty at most.' }),
    failedCalls: z.array(failedCall).meta({
      description: 'Failed model calls, newest first: at most twenty, from the latest 200 ledger entries.',
    }),
    audit: z.array(auditEntry).meta({ description: 'The latest audit entries, at most twenty.' }),
  })
  .meta({ id: 'UserOverview' })
export type UserOverview = z.infer<typeof userOverview>
