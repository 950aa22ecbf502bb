/**
 * The pages below `/docs`, as a developer reads them, and the page of a wrong address. `BERTH_URL`, `SHOTS`, `CHROMIUM`
 * as in main-job.ts.
 */
import type { Page } from 'playwright-core'
import { docsPages } from '../../domain/docs-pages.ts'
import { mintedWith, origin, signIn } from '../service/client.ts'
import { violations } from './axe.ts'
import { startChecks } from './checks.ts'
import { patienceMs, startChromium } from './chromium.ts'
import { obstacles } from './page-facts.ts'

const browser = await startChromium()
const looks = [
  { name: 'light', viewport: { width: 1280, height: 900 } },
  { name: 'dark', viewport: { width: 1280, height: 900 }, colorScheme: 'dark' },
  { name: 'phone', viewport: { width: 390, height: 844 } },
] as const
const context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] })
const page = await context.newPage()
page.setDefaultTimeout(patienceMs)
const { step, that, shoot, finish } = startChecks(page, process.env.SHOTS && `${process.env.SHOTS}/docs`)
const complaints: string[] = []
const listen = (shown: Page) => {
  shown.on('pageerror', (error) => complaints.push(error.message))
  // The policy of the pages blocks styles and scripts silently, except for these lines.
  shown.on('console', (line) => {
    if (line.type() === 'error' && /Content Security Policy/.test(line.text())) complaints.push(line.text())
  })
}
listen(page)

const widerBy = (shown: Page) =>
  shown.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)

/** Opens an operation of the reference, so that all of its parts are on the page. */
async function openOperation(shown: Page): Promise<void> {
  await shown.locator('#operations-tag-tokens').click()
  await shown.locator('#operations-tokens-mintToken .opblock-summary-control').click()
  await shown.locator('#operations-tokens-mintToken .responses-wrapper').waitFor()
}

for (const { name, ...look } of looks) {
  await step(`All pages, ${name}`, async () => {
    const other = await browser.newContext(look)
    const shown = await other.newPage()
    shown.setDefaultTimeout(patienceMs)
    listen(shown)
    for (const path of docsPages) {
      await shown.goto(`${origin}${path}`)
      if (path === '/docs/reference') await openOperation(shown)
      await shown.waitForLoadState('networkidle')
      const found = [...(await violations(shown)), ...(await obstacles(shown))]
      that(`${path} has no obstacle for keyboard or screen reader`, found.length === 0, found)
      that(`${path} is not wider than the screen`, (await widerBy(shown)) <= 0, await widerBy(shown))
      if (process.env.SHOTS)
        await shown.screenshot({ path: `${process.env.SHOTS}/docs/${name}${path.replaceAll('/', '-')}.png` })
    }
    await other.close()
  })
}

await step('Choose a language, and copy an example', async () => {
  await page.goto(`${origin}/docs/examples`)
  await page.getByRole('radio', { name: 'Python' }).check()
  that('only one language is shown', (await page.locator('.variants pre:visible').count()) === 10)
  await page.getByRole('button', { name: 'Copy' }).first().click()
  const copied = await page.evaluate(() => navigator.clipboard.readText())
  that('the copied text names this host', copied.startsWith(`export BERTH_URL=${origin}\n`), copied)
  await page.goto(`${origin}/docs/webhooks`)
  await page.goto(`${origin}/docs/examples`)
  that('the choice stays', await page.getByRole('radio', { name: 'Python' }).isChecked())
})

await step('Try an operation with a token', async () => {
  const user = await signIn()
  const [name = '', value = ''] = user.cookie.split('=')
  await context.addCookies([{ name, value, url: origin }])
  await page.goto(`${origin}/docs/reference#/wallet/getWallet`)
  const wallet = page.locator('#operations-wallet-getWallet')
  const statuses: number[] = []
  page.on('response', (response) => {
    if (response.url() === `${origin}/api/wallet`) statuses.push(response.status())
  })
  const tryIt = async () => {
    const answered = page.waitForResponse(`${origin}/api/wallet`)
    await wallet.getByRole('button', { name: 'Execute' }).click()
    await answered
  }
  await wallet.getByRole('button', { name: 'Try it out' }).click()
  await tryIt()
  that('the session of the dashboard is not used', statuses.at(-1) === 401, statuses)
  await page.getByRole('button', { name: 'Authorize' }).first().click()
  await page.locator('.modal-ux input').fill(await mintedWith(user, ['mcp:wallet.read']))
  await page
    .locator('.modal-ux')
    .getByRole('button', { name: /^Apply|^Authorize/ })
    .click()
  const found = await violations(page)
  that('the dialog has no obstacle', found.length === 0, found)
  await page.locator('.modal-ux').getByRole('button', { name: 'Close' }).last().click()
  await tryIt()
  that('the token is used', statuses.at(-1) === 200, statuses)
})

await step('Open a wrong address', async () => {
  const answer = await page.goto(`${origin}/nowhere`)
  that('its status is 404', answer?.status() === 404)
  const found = [...(await violations(page)), ...(await obstacles(page))]
  that('the page has no obstacle for keyboard or screen reader', found.length === 0, found)
  await page.getByRole('link', { name: 'Documentation of the API' }).click()
  await page.getByRole('heading', { name: 'The API of Berth' }).waitFor()
  await shoot('docs')
})

that('the browser reported no errors', complaints.length === 0, complaints)
await browser.close()
process.exitCode = finish()
