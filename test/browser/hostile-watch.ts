import type { Page } from 'playwright-core'
import { origin } from '../service/client.ts'

/** Records all effects of hostile content: a script, a dialog, a request to another host, a violation of the policy. */
export async function watchHostile(page: Page): Promise<string[]> {
  const wrong: string[] = []
  page.on('pageerror', (error) => wrong.push(`thrown: ${error.message}`))
  page.on('dialog', (dialog) => {
    wrong.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('popup', (popup) => wrong.push(`opened: ${popup.url()}`))
  page.on('console', (said) => /Content Security Policy|violates/.test(said.text()) && wrong.push(said.text()))
  page.context().on('request', (request) => {
    const url = new URL(request.url())
    if (url.origin !== origin && !['blob:', 'data:'].includes(url.protocol)) wrong.push(`asked: ${request.url()}`)
    if (/logout|%2e%2e|\/\.\.\//i.test(url.pathname)) wrong.push(`asked: ${request.url()}`)
  })
  await page.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
      console.error(`violates Content Security Policy: ${violatedDirective} ${blockedURI}`),
    )
  })
  return wrong
}
