import * as z from 'zod'
import { secretReader } from '../aws/secrets.ts'
import type { Env } from '../env.ts'

const secret = z.object({
  secretKey: z.string(),
  webhookSecrets: z.array(z.string()),
  /** Stripe Tax works out the tax of every page and invoice. */
  automaticTax: z.boolean().default(false),
  /** Another origin than Stripe's; the library asks below `/v1/` of an origin, so it has no path. */
  apiBase: z
    .url()
    .refine((text) => new URL(text).pathname === '/')
    .nullish(),
})

/** A reader of the account's key, its webhooks' secrets and how tax is dealt with. */
export const stripeSecret = (env: Env) => secretReader(env.secret('stripe'), secret)

/** What a page or an invoice is given so that tax is added where it is due. */
export const taxOf = ({ automaticTax }: { automaticTax: boolean }) =>
  automaticTax ? { automatic_tax: { enabled: true } } : {}
