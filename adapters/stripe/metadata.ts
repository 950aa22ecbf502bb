import * as z from 'zod'
import { planIds } from '../../domain/billing/plans.ts'

/** The metadata of a top-up's page and of an automatic one's invoice, so that an event finds our record. */
export const topUpMetadata = z.object({ userId: z.string(), checkoutId: z.string() })

/** The metadata of a subscription and its invoices; null if they are not ours. */
export const subscriptionMetadata = z
  .object({
    userId: z.string(),
    plan: z.enum(planIds).optional().catch(undefined),
    checkoutId: z.string().nullable().default(null),
  })
  .nullable()
  .catch(null)
