/**
 * An operator in a browser: denied without a passkey, admitted with one, a user credited and suspended, books checked,
 * a notice broadcast and dismissed; a user's dashboard viewed without a trace; every section and every page of a view
 * at three widths, light and dark. The service names `operator@example.com` as an operator (`BERTH_OPERATORS`).
 * `BERTH_URL`, `SHOTS`, `CHROMIUM` as in main-job.ts.
 */

import { pagePaths } from '../../domain/dashboard-pages.ts'
import { viewRoot } from '../../domain/view-root.ts'
import { ageSession, forgetRates } from '../service/store.ts'
import { settled, violations } from './axe.ts'
import { startChecks } from './checks.ts'
import { patienceMs, startChromium } from './chromium.ts'
import { obstacles, schemesAt } from './page-facts.ts'
import { subscribe } from './visitor.ts'

// Browsers make no passkeys for an address that is a number.
const base = (process.env.BERTH_URL ?? 'http://127.0.0.1:8787').replace(/\/$/, '').replace('//127.0.0.1', '//localhost')
const operator = 'operator@example.com'
const customer = `customer-${Date.now()}@example.com`
/** A user with a machine and a conversation. */
const writer = `writer-${Date.now()}@example.com`
const reason = 'Ticket 4711: charged twice'
const search = 'Beginning of an e-mail address, or an id'

const browser = await startChromium()
const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
const page = await context.newPage()
page.setDefaultTimeout(patienceMs)
const checks = startChecks(page, process.env.SHOTS && `${process.env.SHOTS}/operator`)
const { step, that } = checks
const complaints: string[] = []
page.on('pageerror', (error) => complaints.push(error.message))
page.on('console', (message) => {
  if (/Content Security Policy/i.test(message.text())) complaints.push(message.text())
})

const authenticator = await context.newCDPSession(page)
await authenticator.send('WebAuthn.enable')
await authenticator.send('WebAuthn.addVirtualAuthenticator', {
  options: {
    protocol: 'ctap2',
    transport: 'internal',
    hasResidentKey: true,
    hasUserVerification: true,
    isUserVerified: true,
  },
})

async function codeFor(to: string): Promise<string> {
  for (let tries = 0; tries < 50; tries++) {
    const response = await fetch(`${base}/local/mail?to=${encodeURIComponent(to)}`)
    // safe because the local mailbox returns its e-mails, newest first
    const { mails } = (await response.json()) as { mails: { subject: string; text: string }[] }
    const code = mails[0] && /sign-in code/.test(mails[0].subject) ? /\b\d{6}\b/.exec(mails[0].text)?.[0] : undefined
    if (code) return code
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error(`no code came to ${to}`)
}

/** Signs in with an e-mailed code, from any page that asks for it. */
async function signInByMail(as: string): Promise<void> {
  await page.getByLabel('E-mail address').fill(as)
  await page.getByRole('button', { name: 'Send me a code' }).click()
  await page.getByLabel('Six-digit code').fill(await codeFor(as))
}

const inSection = (name: string) =>
  page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name }).click()
const confirm = async (open: string, title: string | RegExp, amount?: string) => {
  await page.getByRole('button', { name: open, exact: true }).click()
  const dialog = page.getByRole('dialog')
  if (amount) await dialog.getByLabel('Amount, $').fill(amount)
  await dialog.getByLabel('Reason').fill(reason)
  await dialog.getByRole('button', { name: title }).click()
  await dialog.waitFor({ state: 'detached' })
}

await step('A user cannot open the console', async () => {
  await page.goto(`${base}/operator`)
  await signInByMail(customer)
  await page.getByText('This is for the operators of the service.').waitFor()
  that('nothing else is shown', (await page.getByRole('navigation').count()) === 0)
  await page.goto(base)
  await page.getByRole('heading', { name: 'Welcome aboard' }).waitFor()
  that('no link leads to the console', (await page.locator('a[href^="/operator"]').count()) === 0)
  await page.request.post(`${base}/api/auth/logout`, { headers: { Origin: base } })
})

await step('Another user writes to their agent', async () => {
  await page.goto(`${base}/sign-in`)
  await signInByMail(writer)
  await page.getByRole('heading', { name: 'Welcome aboard' }).waitFor()
  await subscribe(page, base)
  await page.getByLabel('Message to your agent').fill('Look: ![the tide](notes/tide.png)')
  await page.keyboard.press('Enter')
  await page.getByRole('log').getByText('You said').last().waitFor({ timeout: 60_000 })
  await page.request.post(`${base}/api/auth/logout`, { headers: { Origin: base } })
})

await step('An operator signs in with a passkey only', async () => {
  await page.goto(`${base}/operator`)
  await signInByMail(operator)
  await page.getByText('This requires a sign-in with a passkey.').waitFor()
  await page.goto(`${base}/account`)
  await page.getByLabel('Name of this device').fill('Test key')
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await page.getByRole('region', { name: 'Passkeys' }).getByText('Test key').first().waitFor()
  await page.goto(`${base}/operator`)
  await page.getByRole('button', { name: 'Sign in again' }).click()
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await page.getByLabel(search).waitFor()
})

await step('Find a user, credit and suspend them', async () => {
  const { sessions } = await (await page.request.get(`${base}/api/auth/sessions`)).json()
  const own = sessions.find(({ current }: { current: boolean }) => current)
  await page.getByLabel(search).fill(customer.toUpperCase())
  await page.getByRole('button', { name: 'Search' }).click()
  await page.getByRole('heading', { name: 'Wallet' }).waitFor()
  await page.getByRole('region', { name: 'Failed model calls' }).getByText('None among the latest lines').waitFor()
  await confirm('Give credit', `Credit $12.50 to ${customer}`, '12.50')
  await page.getByRole('region', { name: 'Wallet' }).getByText('$12.50').first().waitFor()
  // Eleven minutes later, an action asks for the passkey over its own dialog, and is done with the entered reason.
  await ageSession(own.id)
  await page.getByRole('button', { name: 'Suspend', exact: true }).click()
  const act = page.getByRole('dialog').first()
  await act.getByLabel('Reason').fill(reason)
  await act.getByRole('button', { name: `Stop all spending of ${customer}` }).click()
  const question = page.getByRole('dialog', { name: 'Sign in again to go on' })
  await question.getByRole('button', { name: 'Sign in with a passkey' }).waitFor()
  that(
    'an e-mailed code is not offered, since it would not suffice',
    (await question.getByText('Mail a code').count()) === 0,
  )
  that('the reason is kept', (await act.getByLabel('Reason').inputValue()) === reason)
  await question.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await act.waitFor({ state: 'detached' })
  await page.getByText(`Suspended: ${reason}`).waitFor()
  await confirm('Let spend again', `Let ${customer} spend again`)
  await page.getByText('Spending is open').waitFor()
  const trail = page.getByRole('region', { name: 'Latest activity' })
  for (const act of ['Gave credit', 'Suspended the wallet', 'Ended the suspension of the wallet'])
    that(`the trail has “${act}”`, (await trail.getByText(act, { exact: true }).count()) === 1)
  const ids = trail.locator('.row-name').getByText(/[a-z][A-Z]/)
  that('the trail has no operation ids', (await ids.count()) === 0)
  const payments = page.getByRole('region', { name: 'Payments' })
  await payments.getByText('$12.50 Promotional credit').waitFor()
})

await step('List users, with a sign-in of yesterday', async () => {
  const { sessions } = await (await page.request.get(`${base}/api/auth/sessions`)).json()
  await ageSession(sessions.find(({ current }: { current: boolean }) => current).id)
  await page.goto(`${base}/operator`)
  const users = page.getByRole('region', { name: 'Users' })
  for (const address of [customer, operator, writer]) await users.getByRole('link', { name: address }).waitFor()
  const totals = page.getByRole('region', { name: 'Totals' })
  await totals.getByText('Awake now').waitFor()
  await totals.getByText('shown after the first check').waitFor()
  await page.getByLabel('State').selectOption('Machine awake')
  await users.getByRole('link', { name: customer }).waitFor({ state: 'detached' })
  await users.getByRole('link', { name: writer }).waitFor()
  await page.getByLabel('State').selectOption('Wallet suspended')
  await page.getByText('No user matches.').waitFor()
  await page.goto(`${base}/operator`)
  await page.getByLabel(search).fill('customer-')
  await page.keyboard.press('Enter')
  await users.getByRole('link', { name: writer }).waitFor({ state: 'detached' })
  await users.getByRole('link', { name: customer }).click()
  await page.getByRole('heading', { name: 'Wallet' }).waitFor()
  // Reading is enough with this sign-in; an action asks for the passkey, and so does a view.
  await page.getByRole('button', { name: 'See as they see it' }).click()
  const dialog = page.getByRole('dialog').first()
  await dialog.getByLabel('Reason').fill(reason)
  await dialog.getByRole('button', { name: `See the dashboard of ${customer}` }).click()
  await page.getByRole('dialog', { name: 'Sign in again to go on' }).getByRole('button', { name: 'Cancel' }).click()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  that('no view has begun', (await page.getByText('You view').count()) === 0)
  await page.getByRole('button', { name: 'Sign in again' }).click()
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
})

await step('Check all books', async () => {
  await inSection('Books')
  await confirm('Check all books', 'Check all books')
  await page.getByText('Each agrees with its ledger.').waitFor()
  await page.goto(`${base}/operator`)
  const totals = page.getByRole('region', { name: 'Totals' })
  await totals.getByText('Margin on model calls').waitFor()
  await totals.getByText(/plans \$\d+/).waitFor()
  await totals.getByText(/of \d+ messages?$/).waitFor()
})

await step('Pause and resume the rollout', async () => {
  await inSection('Rollout')
  await confirm('Pause', /to nobody else/)
  await page.getByText('paused', { exact: true }).waitFor()
  await confirm('Resume', /to everybody again/)
  await page.getByText('on its way', { exact: true }).waitFor()
})

await step('Stop trials, which visitors are shown, and resume them', async () => {
  await inSection('Trials')
  await page.getByText('$0.00 of $5.00').waitFor()
  await confirm('Stop trials', 'Stop trials')
  await page.getByText(`stopped: ${reason}`).waitFor()
  const other = await browser.newContext()
  const visitor = await other.newPage()
  await new Promise((resolve) => setTimeout(resolve, 5_000))
  await visitor.goto(base)
  await visitor.getByText('There are no more trials today.').waitFor()
  await visitor.getByRole('button', { name: 'Send me a code' }).waitFor()
  await visitor.getByRole('heading', { name: 'What it costs' }).waitFor()
  that('the page has no obstacle for a visitor', (await obstacles(visitor)).length === 0, await obstacles(visitor))
  await other.close()
  await confirm('Let trials go on', 'Let trials go on')
  await page.getByText('open', { exact: true }).waitFor()
})

await step('Broadcast a notice, which its reader dismisses', async () => {
  await inSection('Notices')
  await page.getByLabel('Text').fill('New machines start slowly today.')
  await confirm('Broadcast', 'Tell everybody')
  await page.getByRole('region', { name: 'Standing now' }).getByText('New machines start slowly today.').waitFor()
  await page.goto(`${base}/account`)
  const told = page.locator('.notice', { hasText: 'New machines start slowly today.' })
  await told.waitFor()
  await told.getByRole('button', { name: 'Dismiss' }).click()
  await page.reload()
  await page.waitForResponse((response) => response.url().endsWith('/api/notices'))
  that('a dismissed notice stays away', (await told.count()) === 0)
})

/** Checks the page of each address in each size and scheme. */
async function lookAt(
  addresses: readonly string[],
  name: (address: string) => string,
  widths: readonly number[] = [390, 820, 1440],
): Promise<void> {
  for (const width of widths) {
    await page.setViewportSize({ width, height: 900 })
    for (const address of addresses) {
      await forgetRates()
      await page.goto(`${base}${address}`)
      await settled(page)
      for (const colorScheme of schemesAt(width)) {
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
        const where = `${name(address)} ${width} ${colorScheme}`
        const found = [...(await violations(page)), ...(await obstacles(page))]
        that(`${where} has no obstacle for a reader`, found.length === 0, found)
        await checks.shoot(where)
      }
    }
  }
}

await step('Every section, at every width, light and dark', () =>
  lookAt(
    [
      '/operator',
      ...['users', 'fleet', 'books', 'letters', 'rollout', 'trials', 'notices', 'trail'].map(
        (section) => `/operator?section=${section}&query=${encodeURIComponent(customer)}`,
      ),
    ],
    (address) => new URLSearchParams(address.split('?')[1]).get('section') ?? 'list',
  ),
)

/** The data of this origin in this browser, except cookies. */
const kept = () =>
  page.evaluate(async () =>
    JSON.stringify([
      Object.entries(localStorage).sort(),
      Object.entries(sessionStorage).sort(),
      await indexedDB.databases(),
      await caches.keys(),
    ]),
  )
/** Controls of the page that change something and are not disabled. */
const writable = () =>
  page.evaluate(() =>
    [...document.querySelectorAll<HTMLButtonElement>('.viewed :is(button, input, select, textarea)')]
      .filter((control) => !control.disabled && !control.closest('[data-reads]'))
      .map((control) => control.outerHTML.slice(0, 120)),
  )
/** The requests of the pages of views. */
const asked: string[] = []
const sockets: string[] = []
page.on('websocket', (socket) => {
  if (new URL(page.url()).pathname.startsWith(viewRoot)) sockets.push(socket.url())
})
page.on('request', (request) => {
  const shown = new URL(request.frame().url()).pathname
  const { pathname } = new URL(request.url())
  if (shown.startsWith(viewRoot) && pathname.startsWith('/api/')) asked.push(`${request.method()} ${pathname}`)
})
function expectOnlyReads(): void {
  const other = asked.filter(
    (call) => !/^(GET \/api\/view(\/|$)|POST \/api\/operator\/users\/\w+\/view\/end$)/.test(call),
  )
  that('only the view’s addresses are requested, and only with reads', asked.length > 0 && other.length === 0, other)
  that('no socket is opened', sockets.length === 0, sockets)
}
const viewPaths = pagePaths.filter((path) => path.startsWith(viewRoot))
let keptBefore = ''

await step('View a user’s dashboard as the user sees it, without changes', async () => {
  await page.goto(`${base}/operator?query=${encodeURIComponent(customer)}`)
  keptBefore = await kept()
  await page.getByRole('button', { name: 'See as they see it' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Reason').fill(reason)
  await dialog.getByRole('button', { name: `See the dashboard of ${customer}` }).click()
  const banner = page.getByRole('complementary', { name: 'View of a user' })
  await banner.getByText(`You see the dashboard of ${customer}.`).waitFor()
  await banner.getByText(`Reason: ${reason} · 14 minutes left`).waitFor()
  for (const path of viewPaths) {
    await forgetRates()
    await page.goto(`${base}${path}`)
    await banner.getByText(customer).waitFor()
    await page.getByRole('main').waitFor()
    await settled(page)
    that(`${path} has the banner and no enabled control`, (await writable()).length === 0, await writable())
    that(`${path} gives the reason`, (await page.locator('#view-reason').count()) === 1)
  }
  expectOnlyReads()
  await page.goto(`${base}/view/wallet`)
  await page.getByRole('region', { name: 'Balance' }).or(page.getByText('$12.50').first()).first().waitFor()
  await page.getByRole('navigation').first().getByRole('link', { name: 'Instance' }).click()
  await page.waitForURL(`${base}/view/instance`)
  await page.goto(`${base}/view`)
  await page.getByText('This view shows no messages.').first().waitFor()
  for (const [method, path] of [
    ['POST', '/api/view/wallet/topup'],
    ['PATCH', '/api/view/account'],
    ['DELETE', '/api/view/account'],
    ['GET', '/api/view/chat/messages'],
    ['GET', '/api/view/instance/env'],
  ] as const) {
    const answer = await page.request.fetch(`${base}${path}`, { method, headers: { Origin: base }, data: {} })
    that(`${method} ${path} is refused`, [403, 404, 405].includes(answer.status()), answer.status())
  }
})

await step('A view at every width, light and dark', () =>
  lookAt(viewPaths, (path) => path.slice(1).replaceAll('/', '-')),
)

await step('End the view, without a trace of the user', async () => {
  await page.goto(`${base}/view/wallet`)
  await page.goto(`${base}/view/account`)
  await page.getByRole('button', { name: 'End this view' }).click()
  await page.waitForURL(`${base}/operator?query=**`)
  await page
    .getByRole('region', { name: 'Latest activity' })
    .getByText('Ended the view of the dashboard')
    .first()
    .waitFor()
  that('the browser’s stored data is unchanged', (await kept()) === keptBefore, [keptBefore, await kept()])
  await page.goBack()
  await page.getByRole('heading', { name: 'You view nobody' }).waitFor()
  that('Back shows no user', (await page.getByText(customer).count()) === 0)
  const answer = await page.request.get(`${base}/api/view/wallet`, { headers: { Origin: base } })
  that('the server ends the view too', answer.status() === 403, answer.status())
  await page.goto(`${base}/`)
  that('the operator’s own pages show the operator’s data', (await page.getByText(customer).count()) === 0)
})

await step('View messages, which requires a reason', async () => {
  await page.goto(`${base}/operator?query=${encodeURIComponent(writer)}`)
  keptBefore = await kept()
  await page.getByRole('button', { name: 'With messages' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Reason').fill(reason)
  await dialog.getByRole('button', { name: `See the dashboard of ${writer}, with messages` }).click()
  await page.getByText('Messages are visible.').waitFor()
  await page.getByRole('log').getByText('You said').last().waitFor()
  await page.getByText('notes/tide.png').first().waitFor()
  for (const path of viewPaths) {
    await forgetRates()
    await page.goto(`${base}${path}`)
    await settled(page)
    const open = await writable()
    that(`${path} with a machine has no enabled control`, open.length === 0, open)
  }
  // The step above looks at the other widths of these pages.
  await lookAt(viewPaths, (path) => `${path.slice(1).replaceAll('/', '-')} with messages`, [390])
  expectOnlyReads()
})

await step('The end of the session ends the view', async () => {
  await page.goto(`${base}/view`)
  await page.getByRole('log').getByText('You said').last().waitFor()
  await page.request.post(`${base}/api/auth/logout`, { headers: { Origin: base } })
  await page.getByRole('heading', { name: 'You view nobody' }).waitFor({ timeout: 20_000 })
  that('no data of the user is shown', (await page.getByText(writer).or(page.getByText('You said')).count()) === 0)
  that('the browser stores no data of the user', (await kept()) === keptBefore, [keptBefore, await kept()])
  const left = [...(await violations(page)), ...(await obstacles(page))]
  that('the page after the view has no obstacle for a reader', left.length === 0, left)
  await checks.shoot('view over')
})

that('no error and no policy violation', complaints.length === 0, complaints)
await browser.close()
process.exitCode = checks.finish()
