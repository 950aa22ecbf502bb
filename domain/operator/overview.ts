import * as z from 'zod'
import { auditEntry } from '../account/audit.ts'
import { returnedMails } from '../account/returned-mail.ts'
import { account } from '../account/user.ts'
import { subscription } from '../billing/subscription.ts'
import { instance } from '../instance/instance.ts'
import { unsignedMicros } from '../money.ts'
import { timestamp } from '../timestamp.ts'
import { wallet } from '../wallet/wallet.ts'

const payment = z.object({
  name: z.string().meta({ description: 'Its id for refundUser.', example: 'chk_01KAHB2N3P4Q5R6S7T8V9WXYZ0' }),
  amountMicros: unsignedMicros.meta({ description: 'Credited, in µUSD.' }),
  takenBackMicros: unsignedMicros.meta({ description: 'Taken back of it, in µUSD.' }),
})

/** An operator's view of a user: no message, no file, no secret. */
export const userOverview = z
  .object({
    account,
    eraseAt: timestamp.nullable().meta({ description: 'When a deleted account is erased.' }),
    returnedMails: returnedMails.meta({ description: 'Mails to this address that came back in the last 30 days.' }),
    subscription,
    wallet,
    suspendedBecause: z.string().nullable().meta({ description: 'Null while spending is open.', example: null }),
    instance: instance.nullable(),
    payments: z.array(payment).meta({ description: 'The wallet’s credits; fifty at most.' }),
    audit: z.array(auditEntry).meta({ description: 'The latest of the trail; twenty at most.' }),
  })
  .meta({ id: 'UserOverview' })
export type UserOverview = z.infer<typeof userOverview>
