/**
 * The wallet in a browser: a pending bank debit, limits, an automatic top-up, usage, the statement, one kind of
 * transactions. `BERTH_URL`, `SHOTS`, `CHROMIUM` as in main-job.ts.
 */
import { readFileSync } from 'node:fs'
import { startChecks } from './checks.ts'
import { patienceMs, startChromium } from './chromium.ts'
import { obstacles } from './page-facts.ts'

const base = (process.env.BERTH_URL ?? 'http://127.0.0.1:8787').replace(/\/$/, '')
const email = `wallet-${Date.now()}@example.com`
const machineMs = 60_000
/** The sweep that starts automatic top-ups runs every minute. */
const sweepMs = 100_000

const browser = await startChromium()
const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, acceptDownloads: true })
const page = await context.newPage()
page.setDefaultTimeout(patienceMs)
const checks = startChecks(page, process.env.SHOTS && `${process.env.SHOTS}/wallet`)
const { step, that } = checks

const complaints: string[] = []
page.on('pageerror', (error) => complaints.push(error.message))

const section = (name: string) => page.getByRole('region', { name, exact: true })
const noObstacles = async (where: string) => {
  const found = await obstacles(page)
  that(`${where} has no obstacle for keyboard or screen reader`, found.length === 0, found)
}
async function openWallet(): Promise<void> {
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Wallet', exact: true }).click()
  await section('Spending limits').waitFor()
  await page.waitForFunction(() => document.querySelector('.loading') === null)
}
async function topUp(label: string, how: RegExp): Promise<string> {
  await page.getByLabel(label, { exact: true }).check()
  await page.getByRole('button', { name: `Top up ${label}` }).click()
  await page.waitForURL(/\/local\/checkout\//)
  const sessionId = page.url().split('/').at(-1) ?? ''
  await page.getByRole('button', { name: how }).click()
  await page.waitForURL((url) => !url.pathname.startsWith('/local/'))
  await section('Spending limits').waitFor()
  return sessionId
}
async function statement(): Promise<string[]> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download statement (CSV)' }).click(),
  ])
  that('the statement is downloaded', download.suggestedFilename() === 'statement.csv', download.suggestedFilename())
  return readFileSync(await download.path(), 'utf8')
    .trim()
    .split('\r\n')
}
/** Reads the API as the signed-in page does. */
const get = async (path: string) => (await context.request.get(`${base}/api${path}`)).json()

async function signIn(): Promise<void> {
  await page.getByLabel('E-mail address').fill(email)
  await page.getByRole('button', { name: 'Send me a code' }).click()
  await page.getByLabel('Six-digit code').waitFor()
  // safe because the local mailbox returns its e-mails, newest first
  const { mails } = (await (await fetch(`${base}/local/mail?to=${encodeURIComponent(email)}`)).json()) as {
    mails: { subject: string }[]
  }
  await page.getByLabel('Six-digit code').fill(/\d{6}/.exec(mails[0]?.subject ?? '')?.[0] ?? '')
}

await step('A new wallet shows no spending', async () => {
  await page.goto(`${base}/sign-in`)
  await signIn()
  await page.getByRole('heading', { name: 'Welcome aboard' }).waitFor()
  await openWallet()
  await page.getByText('No model calls in these days.').waitFor()
  await section('Transactions').getByText('Nothing yet.').waitFor()
  that('an empty statement has only its header', (await statement()).length === 1)
})

await step('A bank debit is pending until the bank has paid it', async () => {
  const sessionId = await topUp('$25', /bank debit/)
  await page.getByText('your payment is pending').waitFor()
  that('no payment is shown as confirmed', (await page.getByText('is confirmed').count()) === 0)
  that('no amount is credited', (await get('/wallet')).balanceMicros === 0)
  await fetch(`${base}/local/stripe/settle/${sessionId}`, { method: 'POST', headers: { accept: 'application/json' } })
  await page.getByText('your payment is confirmed. $25.00 arrived').waitFor()
  await section('Transactions').getByText('+$25.00').waitFor()
})

await step('A card is confirmed at once', async () => {
  await topUp('$5', /^Pay/)
  await page.getByText('your payment is confirmed. $5.00 arrived').waitFor()
})

await step('Set limits', async () => {
  const limits = section('Spending limits')
  await limits.getByLabel('Daily limit ($)').fill('lots')
  await limits.getByLabel('Tools').fill('5000')
  await limits.getByRole('button', { name: 'Save limits' }).click()
  await limits.getByText('Enter dollars from 0 to 1000').first().waitFor()
  that('both wrong fields show an error', (await limits.getByText('Enter dollars from 0 to 1000').count()) === 2)
  await limits.getByLabel('Daily limit ($)').fill('3.50')
  await limits.getByLabel('Tools').fill('')
  await limits.getByLabel('Heartbeats').fill('0')
  await limits.getByRole('button', { name: 'Save limits' }).click()
  await limits.getByText('The limits are saved and hold at once.').waitFor()
  const { dailyCapCents, triggerCapsCents } = (await get('/wallet')).limits
  const kept = dailyCapCents === 350 && triggerCapsCents.heartbeat === 0 && triggerCapsCents.tool === null
  that('the service stores them', kept, { dailyCapCents, triggerCapsCents })
  await page.reload()
  await limits.waitFor()
  that('the limits are shown after a reload', (await limits.getByLabel('Daily limit ($)').inputValue()) === '3.50')
})

await step('Turn on automatic top-up', async () => {
  const card = section('Automatic top-up')
  await card.getByLabel('Top up automatically').check()
  await card.getByLabel('When the balance falls to').fill('32')
  await card.getByLabel('Charge my saved card').fill('10')
  await card.getByLabel('But in a month at most').fill('7')
  await card.getByRole('button', { name: 'Save' }).click()
  await card.getByText('Enter dollars from 10 to 5000').waitFor()
  await card.getByLabel('But in a month at most').fill('15')
  await card.getByRole('button', { name: 'Save' }).click()
  await card.getByText('Automatic top-up is on.').waitFor()
  await noObstacles('The wallet with its settings')
  await page.reload()
  await card.waitFor()
  that('it is on after a reload', await card.getByLabel('Top up automatically').isChecked())
})

await step('Use the agent, and view the cost', async () => {
  const { url } = await (
    await context.request.post(`${base}/api/checkout`, { data: { plan: 'starter' }, headers: { origin: base } })
  ).json()
  await page.goto(url)
  await page.getByRole('button', { name: /^Subscribe/ }).click()
  await page.getByText('your payment is confirmed. $2.00 arrived').waitFor()
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Chat', exact: true }).click()
  await page.getByLabel('Message to your agent').fill('hello wallet')
  await page.keyboard.press('Enter')
  await page
    .getByRole('log')
    .getByText(/^You said: "?hello wallet/)
    .waitFor({ timeout: machineMs })
  await openWallet()
  const spending = section('Spending')
  const tableBy = (what: string) => spending.getByRole('table', { name: `Cost by ${what}`, exact: true })
  await tableBy('model').getByRole('button', { name: 'Show only local/echo' }).waitFor()
  await spending.getByLabel('Stacked by').selectOption('What started it')
  await tableBy('what started it').getByText('Messages').waitFor()
  await spending.getByLabel('Stacked by').selectOption('Conversation')
  await tableBy('conversation').getByText('Main conversation').waitFor()
  await spending.getByLabel('Model', { exact: true }).selectOption('local/echo')
  that('the filters are in the URL', /by=conversation&model=local/.test(page.url()), page.url())
  await page.reload()
  await tableBy('conversation').getByText('Main conversation').waitFor()
  that(
    'the filters survive a reload',
    (await spending.getByLabel('Model', { exact: true }).inputValue()) === 'local/echo',
  )
  await page.goBack()
  await page.goBack()
  await tableBy('what started it').getByText('Messages').waitFor()
  that('Back removes the filters', !/model=/.test(page.url()), page.url())
  await spending.getByLabel('Days', { exact: true }).selectOption('Last 12 months')
  await spending.getByRole('slider', { name: 'Spending by day' }).focus()
  const day = () => spending.getByRole('slider').getAttribute('aria-valuetext')
  const last = await day()
  await page.keyboard.press('ArrowLeft')
  that('the arrow keys move from bar to bar', (await day()) !== last, [last, await day()])
  await page.keyboard.press('End')
  that(
    'a screen reader announces the bar’s value',
    /^Week of .*: \$0\.\d+: Messages \$0\.\d+$/.test((await day()) ?? ''),
    await day(),
  )
  await spending.getByText('Show each day as a table').click()
  await spending.getByRole('rowheader', { name: /^Week of .*Messages \$0\.\d+$/ }).waitFor()
  await section('This month').getByText('If every remaining day costs as much as today').waitFor()
  const rows = await statement()
  that(
    'the statement has the call and its model',
    rows.some((row) => /,usage,.*local\/echo.*,chat,,main$/.test(row)),
    rows,
  )
  await noObstacles('The wallet in use')
})

await step('Automatic top-up runs by itself, once', async () => {
  await section('Transactions').getByText('Automatic top-up').waitFor({ timeout: sweepMs })
  const { transactions } = await get('/wallet/transactions?type=topup')
  that(
    'the top-up is $10, once',
    transactions.filter((line: { amountMicros: number }) => line.amountMicros === 10_000_000).length === 1,
  )
})

await step('Filter transactions by kind', async () => {
  const ledger = section('Transactions')
  const lines = ledger.getByRole('listitem')
  await ledger.getByLabel('Show').selectOption('Model calls')
  await ledger.getByText('Automatic top-up').waitFor({ state: 'detached' })
  await lines.first().waitFor()
  that('only model calls are listed', (await ledger.getByText('Top-up', { exact: true }).count()) === 0)
  await ledger.getByLabel('Show').selectOption('Disputes')
  await ledger.getByText('None of these yet.').waitFor()
  await ledger.getByLabel('Show').selectOption('Everything')
  await ledger.getByText('Automatic top-up').waitFor()
})

await step('The page fits a phone', async () => {
  await page.setViewportSize({ width: 390, height: 844 })
  await noObstacles('The wallet on a phone')
})

that('the browser reported no errors', complaints.length === 0, complaints)
await browser.close()
process.exitCode = checks.finish()
