import * as z from 'zod'
import { transaction } from '../wallet/ledger.ts'
import { wallet } from '../wallet/wallet.ts'
import { aboutUser } from './trail.ts'

export const creditInput = aboutUser.extend({
  amountCents: z.int().min(1).max(1_000_000).meta({ description: 'US cents.', example: 500 }),
})

export const refundInput = creditInput.extend({
  payment: z
    .string()
    .min(1)
    .max(200)
    .meta({ description: 'A name from `payments` of `getUser`.', example: 'chk_01KAHB2N3P4Q5R6S7T8V9WXYZ0' }),
})

export const moved = z.object({ transaction, wallet })

export const suspension = z.object({
  suspended: z.boolean(),
  changed: z.boolean().meta({ description: 'False if it already was in this state.' }),
})
