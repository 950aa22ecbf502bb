import * as z from 'zod'
import { timestamp } from '../timestamp.ts'

export const invoice = z
  .object({
    id: z.string(),
    number: z.string().nullable(),
    at: timestamp,
    amountCents: z.int().meta({ description: 'US cents.' }),
    status: z.enum(['draft', 'open', 'paid', 'void', 'uncollectible']),
    description: z.string(),
    url: z.url().nullable().meta({ description: 'The provider’s page of this invoice.' }),
  })
  .meta({ id: 'Invoice' })
export type Invoice = z.infer<typeof invoice>

export const invoiceId = /^in_[A-Za-z0-9]{8,64}$/
