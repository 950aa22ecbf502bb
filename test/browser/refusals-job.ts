/**
 * A user whose messages are refused or cannot be sent: a spending limit, an ended session, no connection, a suspended
 * wallet. `BERTH_URL`, `SHOTS`, `CHROMIUM` as in main-job.ts; `BERTH_DATA_DIR` is the service's data folder.
 */
import { call, hostedUser, mailedCode, origin } from '../service/client.ts'
import { suspendWallet } from '../service/store.ts'
import { settled, violations } from './axe.ts'
import { openAs } from './open-as.ts'

const user = await hostedUser(500)
const { browser, context, page, complaints, step, that, finish, shoot } = await openAs(user, origin, 'refusals')
const log = page.getByRole('log')
const field = page.getByLabel('Message to your agent')
const answer = (text: string) => log.getByText(new RegExp(`^You said: "?${text}"?`))
const main = page.getByRole('main')
const say = async (text: string) => {
  await field.fill(text)
  await field.press('Enter')
}
const limit = (chat: number | null) =>
  call('PUT', '/wallet/limits', { dailyCapCents: 500, triggerCapsCents: { chat } }, user)

async function looksGood(what: string): Promise<void> {
  for (const [scheme, width] of [
    ['light', 1280],
    ['dark', 1280],
    ['light', 390],
  ] as const) {
    await page.emulateMedia({ colorScheme: scheme })
    await page.setViewportSize({ width, height: 800 })
    await settled(page)
    await shoot(`${what} ${scheme} ${width}`)
    const found = await violations(page)
    that(`${what} has no violation, ${scheme}, ${width} px`, found.length === 0, found)
  }
  await page.emulateMedia({ colorScheme: 'light' })
  await page.setViewportSize({ width: 1280, height: 800 })
}

await step('A spending limit is told as one, and can be raised from the message', async () => {
  await limit(0)
  await page.goto(origin)
  await say('What is the tide?')
  const reply = log.locator('article').filter({ hasText: 'Today’s limit of $0.00 for answering messages' })
  await reply.waitFor()
  that('nothing offers a top-up', (await main.getByText('Top up').count()) === 0)
  await looksGood('A spending limit')
  await reply.getByRole('link', { name: 'Raise limit' }).click()
  const cap = page.locator('#cap-chat')
  await cap.waitFor()
  await page.waitForFunction(() => {
    const { top, bottom } = document.getElementById('cap-chat')?.getBoundingClientRect() ?? { top: -1, bottom: -1 }
    return top > 0 && bottom < window.innerHeight
  })
  await shoot('Raise limit')
  await cap.fill('2')
  await page.getByRole('button', { name: 'Save limits' }).click()
  await page.getByText('The limits are saved').waitFor()
  await page.goBack()
  await log.getByRole('button', { name: 'Retry' }).click()
  await answer('What is the tide').waitFor()
})

await step('A message of an ended session is sent by itself after the next sign-in', async () => {
  await context.clearCookies()
  await say('sent while signed out')
  await page.getByLabel('E-mail address').fill(user.email)
  await page.getByLabel('E-mail address').press('Enter')
  await page.getByLabel('Six-digit code').waitFor()
  await page.getByLabel('Six-digit code').fill(await mailedCode(user.email))
  await answer('sent while signed out').waitFor()
  that('it does not stand there as unsent', (await page.getByText('Not sent').count()) === 0)
  that('it was sent once', (await log.getByText('sent while signed out', { exact: true }).count()) === 1)
})

await step('A page that is not loaded says so without a connection, and opens when there is one', async () => {
  await page.evaluate(() => Object.assign(window, { stays: true }))
  await context.setOffline(true)
  await page.getByRole('link', { name: 'Tokens', exact: true }).first().click()
  await page.getByText('This page has not been loaded yet').waitFor()
  await page.getByRole('button', { name: 'Try again' }).last().click()
  await page.waitForTimeout(1_000)
  that('a try without a connection keeps the page', await page.evaluate(() => 'stays' in window))
  await shoot('Not loaded')
  await page.getByRole('link', { name: 'Chat', exact: true }).first().click()
  await answer('sent while signed out').waitFor()
  await page.getByRole('link', { name: 'Tokens', exact: true }).first().click()
  await page.getByText('This page has not been loaded yet').waitFor()
  await context.setOffline(false)
  await page.getByRole('heading', { name: 'Tokens', level: 1 }).waitFor()
})

await step('A suspended wallet is told as one, and takes no money', async () => {
  await page.goto(origin)
  await suspendWallet(user.userId)
  await say('And now?')
  const reply = log.locator('article').filter({ hasText: 'The wallet is suspended: nothing can be spent' })
  await reply.waitFor()
  that('it can be retried', (await reply.getByRole('button', { name: 'Retry' }).count()) === 1)
  await page.reload()
  await main.getByText('Your wallet is suspended, so the agent cannot answer').waitFor()
  that('nothing offers a top-up', (await main.getByText('Top up').count()) === 0)
  await looksGood('A suspended wallet')
  await page.goto(`${origin}/wallet`)
  await page.getByRole('heading', { name: 'Wallet', level: 1 }).waitFor()
  await page.getByText('The wallet is suspended').first().waitFor()
  that('the page has no form for a top-up', (await page.getByRole('heading', { name: /^Top up/ }).count()) === 0)
  const refused = await call('POST', '/wallet/topup', { amountCents: 500 }, user)
  that('a checkout page is refused', refused.status === 402 && refused.body.error === 'wallet-suspended', refused.body)
})

that('no script failed', complaints.length === 0, complaints)
await browser.close()
process.exit(finish())
