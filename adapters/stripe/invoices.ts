import type Stripe from 'stripe'
import { type Invoice, invoice as shown } from '../../domain/billing/invoice.ts'
import type { Page } from '../../domain/page.ts'
import { iso } from '../../domain/time.ts'

/** A customer's invoices that were sent to them, newest first. */
export async function listInvoices(
  stripe: Stripe,
  customer: string,
  { after, limit }: { after: string | null; limit: number },
): Promise<Page<Invoice>> {
  const page = await stripe.invoices.list({ customer, limit, ...(after && { starting_after: after }) })
  const last = page.data.at(-1)
  return { items: page.data.map(toInvoice), next: page.has_more && last?.id ? last.id : null }
}

function toInvoice(one: Stripe.Invoice): Invoice {
  return {
    id: one.id ?? '',
    number: one.number,
    at: iso(one.created * 1000),
    amountCents: one.total,
    status: shown.shape.status.catch('draft').parse(one.status),
    description: reasons[one.billing_reason ?? ''] ?? one.description ?? 'Payment',
    url: one.hosted_invoice_url ?? null,
  }
}

const reasons: Record<string, string> = {
  subscription_create: 'Subscription',
  subscription_cycle: 'Subscription, next month',
  subscription_update: 'Change of plan',
}
