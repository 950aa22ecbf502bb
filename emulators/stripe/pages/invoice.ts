import { findById } from '../../kit/records.ts'
import type { Account } from '../account.ts'
import { type Asked, date, money, notFound, type Page, rows } from './page.ts'

export function invoicePage({ store }: Account, { method, id }: Asked): Page {
  const found = findById(store.value.invoices, id)
  if (!found || method !== 'GET') return notFound('There is no such invoice.')
  const lines: [string, string][] = [
    ['Number', String(found.number)],
    ['Date', date(found.created)],
    ['Status', found.status],
  ]
  const body = `<h1>Invoice</h1><p class="amount">${money(found.total, found.currency)}</p>${rows(lines)}`
  return { status: 200, json: found, title: 'Invoice', body }
}
