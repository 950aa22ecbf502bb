import * as z from 'zod'
import { planIds } from '../../domain/billing/plans.ts'

/** What the page of a top-up and the invoice of an automatic one carry, so that an event finds our record. */
export const topUpMetadata = z.object({ userId: z.string(), checkoutId: z.string() })

/** What a subscription and its invoices carry; null when they are not ours. */
export const subscriptionMetadata = z
  .object({
    userId: z.string(),
    plan: z.enum(planIds).optional().catch(undefined),
    checkoutId: z.string().nullable().default(null),
  })
  .nullable()
  .catch(null)
