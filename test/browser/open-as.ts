import type { BrowserContextOptions } from 'playwright-core'
import { startChecks } from './checks.ts'
import { patienceMs, startChromium } from './chromium.ts'

/** Opens a page on which this user is signed in, with the checks of a job. */
export async function openAs(
  { cookie }: { cookie: string },
  origin: string,
  job: string,
  options: BrowserContextOptions = {},
) {
  const [name = '', value = ''] = cookie.split('=')
  const browser = await startChromium()
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options })
  await context.addCookies([{ name, value, url: origin }])
  const page = await context.newPage()
  page.setDefaultTimeout(patienceMs)
  const checks = startChecks(page, process.env.SHOTS && `${process.env.SHOTS}/${job}`)
  /** Errors that scripts of the page did not catch. */
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(error.message))
  return { browser, context, page, complaints, ...checks }
}
