import * as z from 'zod'
import type { Account } from './account.ts'
import { missing } from './api/error.ts'
import {
  expand,
  get,
  list,
  merge,
  metadata,
  metadataChanges,
  type Route,
  read,
  retrieve,
  same,
  text,
  without,
} from './api/route.ts'
import type { Customer, PortalSession } from './records.ts'
import { newId, nowSeconds } from './store.ts'

const customer = z.strictObject({
  email: z.string().max(512).optional(),
  name: z.string().optional(),
  phone: z.string().optional(),
  description: z.string().optional(),
  metadata: metadata.optional(),
  expand,
})
const portal = z.strictObject({ customer: z.string(), return_url: z.url().optional(), expand })

/** Customers, and their sessions of the billing portal. */
export function customerRoutes({ store: { value }, pagesUrl }: Account): Route[] {
  return [
    {
      method: 'POST',
      path: '/v1/customers',
      run(input) {
        const created = newCustomer(read(customer, input))
        value.customers[created.id] = created
        return created
      },
    },
    {
      method: 'POST',
      path: '/v1/customers/{id}',
      run(input, id) {
        const { metadata: changes, ...request } = read(customer.extend({ metadata: metadataChanges }), input)
        const found = get(value.customers, 'customer', id)
        return Object.assign(found, without(request), { metadata: merge(found.metadata, changes) })
      },
    },
    retrieve('/v1/customers', 'customer', value.customers),
    list('/v1/customers', value.customers, { email: text }, (found, { email }) => same(email, found.email)),
    {
      method: 'POST',
      path: '/v1/billing_portal/sessions',
      run(input) {
        const request = read(portal, input)
        if (!value.customers[request.customer]) throw missing('customer', request.customer, 'customer')
        const id = newId('bps')
        const session: PortalSession = {
          id,
          object: 'billing_portal.session',
          created: nowSeconds(),
          livemode: false,
          customer: request.customer,
          return_url: request.return_url ?? null,
          url: `${pagesUrl}/portal/${id}`,
        }
        value.portals[id] = session
        return session
      },
    },
  ]
}

export function newCustomer(from: Partial<Customer>): Customer {
  return {
    id: newId('cus'),
    object: 'customer',
    created: nowSeconds(),
    livemode: false,
    address: null,
    balance: 0,
    currency: null,
    default_source: null,
    delinquent: false,
    invoice_settings: { custom_fields: null, default_payment_method: null, footer: null, rendering_options: null },
    preferred_locales: [],
    shipping: null,
    tax_exempt: 'none',
    email: from.email ?? null,
    name: from.name ?? null,
    phone: from.phone ?? null,
    description: from.description ?? null,
    metadata: from.metadata ?? {},
  }
}
