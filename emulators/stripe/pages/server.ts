import { text } from 'node:stream/consumers'
import { pagesAt } from '../../kit/pages.ts'
import type { Account } from '../account.ts'
import { checkoutPage } from './checkout.ts'
import { controlPanel } from './control-panel.ts'
import { invoicePage } from './invoice.ts'
import { type Asked, failure, send } from './page.ts'
import { portalPage } from './portal.ts'

const pages = { checkout: checkoutPage, portal: portalPage, invoice: invoicePage, stripe: controlPanel }

/** The pages people see, below `pagesUrl`: `checkout/{id}`, `portal/{id}`, `invoice/{id}` and `stripe`. */
export const createPages = (account: Account) =>
  pagesAt(account.pagesUrl, async ({ request, method, base, path, isForeign }, response) => {
    const [, kind, id = '', action = ''] =
      /^\/(checkout|portal|invoice|stripe)(?:\/([^/]+))?(?:\/([^/]+))?$/.exec(path) ?? []
    if (!kind || (kind !== 'stripe' && id === '')) return false
    const asked: Asked = { method, base, id, action, form: new URLSearchParams(await text(request)) }
    // safe because the pattern has no other kinds
    const show = pages[kind as keyof typeof pages]
    const isRefused = method !== 'GET' && isForeign
    const page = isRefused
      ? failure(403, 'forbidden', 'This form was sent from another site.')
      : await show(account, asked)
    send(response, page, String(request.headers.accept ?? ''), `${base}/stripe`)
    return true
  })
