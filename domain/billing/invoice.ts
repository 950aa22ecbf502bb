import * as z from 'zod'
import { invalid } from '../errors.ts'
import { timestamp } from '../time.ts'

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

/** The invoice behind a cursor this service made. @throws validation for any other text */
export function readInvoiceCursor(text: string | undefined): string | null {
  if (text === undefined) return null
  try {
    const id = atob(text)
    if (/^in_[A-Za-z0-9]{8,64}$/.test(id)) return id
  } catch {}
  throw invalid('cursor', 'use a nextCursor of an earlier answer as it came.')
}
