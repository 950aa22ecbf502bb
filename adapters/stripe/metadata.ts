import * as z from 'zod'
import { planIds } from '../../domain/billing/plans.ts'

/** Metadata of a top-up's page or invoice, so that an event finds our record. */
export const topUpMetadata = z.object({ userId: z.string(), checkoutId: z.string() })

/** Null if the subscription is not ours. */
export const subscriptionMetadata = z
  .object({
    userId: z.string(),
    plan: z.enum(planIds).optional().catch(undefined),
    checkoutId: z.string().nullable().default(null),
  })
  .nullable()
  .catch(null)
