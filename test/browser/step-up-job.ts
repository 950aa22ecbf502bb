/**
 * Every form that requires a sign-in of the last ten minutes, with an older session: the test ages the session in the
 * store. The input stays, the user signs in over the page, and the request is completed. `BERTH_URL`, `SHOTS`,
 * `CHROMIUM` as in main-job.ts; the job needs its own service with an accessible store (`BERTH_DATA_DIR`).
 */
import { createHash } from 'node:crypto'
import { ageSession, forgetRates } from '../service/store.ts'
import { startChecks } from './checks.ts'
import { patienceMs, startChromium } from './chromium.ts'
import { obstacles } from './page-facts.ts'
import { mailedCode, signedOut, signIn, subscribe } from './visitor.ts'

// Browsers make no passkeys for an address that is a number.
const base = (process.env.BERTH_URL ?? 'http://127.0.0.1:8787').replace(/\/$/, '').replace('//127.0.0.1', '//localhost')
const email = `step-up-${Date.now()}@example.com`
const browser = await startChromium()
const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, acceptDownloads: true })
const page = await context.newPage()
page.setDefaultTimeout(patienceMs)
const { step, that, shoot, finish } = startChecks(page, process.env.SHOTS && `${process.env.SHOTS}/step-up`)

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
const complaints: string[] = []
page.on('pageerror', (error) => complaints.push(error.message))

const section = (title: string) => page.getByRole('region', { name: title })
const question = page.getByRole('dialog', { name: 'Sign in again to go on' })
const sessions = async () => (await (await page.request.get(`${base}/api/auth/sessions`)).json()).sessions
/** Changes the session's sign-in to eleven minutes ago. */
async function age(): Promise<string> {
  const current = (await sessions()).find((session: { current: boolean }) => session.current)
  await ageSession(current.id)
  return current.id
}
async function answerByCode(): Promise<void> {
  await question.getByRole('button', { name: `Mail a code to ${email}` }).click()
  await question.getByLabel('Six-digit code').waitFor()
  const field = question.getByLabel('Six-digit code')
  await field.fill(await mailedCode(base, email))
  await question.waitFor({ state: 'detached' })
}
async function answerByPasskey(): Promise<void> {
  await question.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await question.waitFor({ state: 'detached' })
}

const callback = 'http://127.0.0.1:9/callback'
/** The consent page to which a program that registered itself sends the browser. */
async function consentAddress(): Promise<string> {
  const metadata = await (await fetch(`${base}/.well-known/oauth-authorization-server/api`)).json()
  const response = await fetch(metadata.registration_endpoint, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_name: 'Tide table', redirect_uris: ['http://127.0.0.1/callback'] }),
  })
  const { client_id } = await response.json()
  const query = new URLSearchParams({
    ...{ client_id, redirect_uri: callback, response_type: 'code', scope: 'mcp:wallet.read mcp:skills.read' },
    ...{
      code_challenge: createHash('sha256').update('v'.repeat(43)).digest('base64url'),
      code_challenge_method: 'S256',
    },
  })
  const { pathname } = new URL(metadata.authorization_endpoint)
  return `${base}${pathname}?${query}`
}

await step('Sign in and subscribe', async () => {
  await signIn(page, base, email)
  await subscribe(page, base)
})

const limits = section('Spending limits')
const day = limits.getByLabel('Daily limit ($)')
await step('Spending limits: cancel, and keep the input', async () => {
  await page.goto(`${base}/wallet`)
  await day.fill('7.25')
  await age()
  await limits.getByRole('button', { name: 'Save limits' }).click()
  await question.waitFor()
  const found = await obstacles(page)
  that('the page has no obstacle for keyboard or screen reader', found.length === 0, found)
  await shoot('question')
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.setViewportSize({ width: 390, height: 844 })
  await shoot('question on a phone, dark')
  await page.emulateMedia({ colorScheme: 'light' })
  await page.setViewportSize({ width: 1280, height: 900 })
  await page.keyboard.press('Escape')
  await limits.getByText('Raising what can be spent needs a sign-in of the last 10 minutes.').waitFor()
  that('the input is kept', (await day.inputValue()) === '7.25')
})

await step('Spending limits: sign in with an e-mailed code, and save them', async () => {
  const before = await age()
  await limits.getByRole('button', { name: 'Save limits' }).click()
  await answerByCode()
  await limits.getByText('The limits are saved and hold at once.').waitFor()
  const after = await sessions()
  that('the old session has ended', !after.some((session: { id: string }) => session.id === before), after)
  that('the input is kept', (await day.inputValue()) === '7.25')
})

await step('A passkey: added, with its name kept', async () => {
  await page.goto(`${base}/account`)
  await age()
  const passkeys = section('Passkeys')
  await passkeys.getByLabel('Name of this device').fill('Kept name')
  await passkeys.getByRole('button', { name: 'Add a passkey' }).click()
  await answerByCode()
  await passkeys.getByText('Kept name').first().waitFor()
})

await step('Automatic top-up, with the passkey', async () => {
  await page.goto(`${base}/wallet`)
  const auto = section('Automatic top-up')
  await auto.getByLabel('Top up automatically').check()
  await auto.getByLabel('When the balance falls to').fill('4')
  await auto.getByLabel('But in a month at most').fill('60')
  await age()
  await auto.getByRole('button', { name: 'Save' }).click()
  await answerByPasskey()
  await auto.getByText(/Automatic top-up is on/).waitFor()
  that('the input is kept', (await auto.getByLabel('But in a month at most').inputValue()) === '60')
})

await step('A token with an api: scope, with the passkey', async () => {
  await page.goto(`${base}/tokens`)
  await page.getByLabel('Name', { exact: true }).fill('Laptop that calls models')
  await page.getByLabel('Call models').check()
  await page.getByLabel('In all').fill('3.50')
  await age()
  await page.getByRole('button', { name: 'Make token' }).click()
  await question.waitFor()
  await shoot('a token')
  await page.keyboard.press('Escape')
  that('the name is kept', (await page.getByLabel('Name', { exact: true }).inputValue()) === 'Laptop that calls models')
  that('the selection is kept', await page.getByLabel('Call models').isChecked())
  that('the cap is kept', (await page.getByLabel('In all').inputValue()) === '3.50')
  await page.getByRole('button', { name: 'Make token' }).click()
  await answerByPasskey()
  await page.getByRole('heading', { name: '“Laptop that calls models” is ready' }).waitFor()
  await shoot('a token is made')
  const { tokens } = await (await page.request.get(`${base}/api/tokens`)).json()
  that('one token was made, with its cap', tokens.length === 1 && tokens[0].capMicros === 3_500_000, tokens)
})

await step('A token with MCP scopes alone needs no sign-in', async () => {
  await page.goto(`${base}/tokens`)
  await page.getByLabel('Name', { exact: true }).fill('MCP client')
  await age()
  await page.getByRole('button', { name: 'Make token' }).click()
  await page.getByRole('heading', { name: '“MCP client” is ready' }).waitFor()
  that('no sign-in was requested', (await question.count()) === 0)
})

await step('A webhook, with an e-mailed code', async () => {
  await page.goto(`${base}/connect?tab=webhooks`)
  const hooks = section('Webhooks in')
  await hooks.getByLabel('Webhook’s name').fill('Failed builds')
  await hooks.getByLabel('What the agent does with each request').fill('Look at what failed.')
  await age()
  await hooks.getByRole('button', { name: 'Add webhook' }).click()
  await question.waitFor()
  await shoot('a hook')
  await answerByCode()
  await hooks.getByText('Copy the secret of “Failed builds” now.').waitFor()
})

await step('A webhook endpoint: created and enabled with a sign-in, disabled without one', async () => {
  const endpoints = section('Webhooks out')
  await endpoints.getByLabel('Endpoint’s name').fill('My log')
  await endpoints.getByLabel('URL').fill('https://example.com/berth')
  await age()
  await endpoints.getByRole('button', { name: 'Add endpoint' }).click()
  await question.waitFor()
  await page.keyboard.press('Escape')
  that('the address is kept', (await endpoints.getByLabel('URL').inputValue()) === 'https://example.com/berth')
  await endpoints.getByRole('button', { name: 'Add endpoint' }).click()
  await answerByPasskey()
  await endpoints.getByText('Copy the secret of “My log” now.').waitFor()
  await age()
  await endpoints.getByRole('button', { name: 'Disable My log' }).click()
  await endpoints.getByRole('button', { name: 'Enable My log' }).waitFor()
  that('no sign-in was requested', (await question.count()) === 0)
  await endpoints.getByRole('button', { name: 'Enable My log' }).click()
  await question.waitFor()
  await shoot('an endpoint is enabled')
  await answerByPasskey()
  await endpoints.getByRole('button', { name: 'Disable My log' }).waitFor()
})

// All sessions of a user share 30 writes a minute, and the steps above have used them.
await forgetRates()
await step('The plan, with the passkey', async () => {
  await page.goto(`${base}/billing`)
  await page.getByRole('button', { name: 'Change to Pro' }).click()
  await age()
  await page.getByRole('button', { name: 'Confirm' }).click()
  await question.waitFor()
  await shoot('the plan')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Confirm' }).click()
  await answerByPasskey()
  await page.getByText('You are on Pro.').waitFor()
})

await step('A program’s consent screen: cancel, keep the selection, then sign in and connect', async () => {
  await page.goto(await consentAddress())
  await page.getByRole('heading', { name: 'Connect “Tide table”?' }).waitFor()
  const skills = page.getByLabel(/mcp:skills\.read/)
  await skills.uncheck()
  await page.getByLabel('It has to ask again').selectOption('7')
  await age()
  await page.getByRole('button', { name: 'Connect', exact: true }).click()
  await question.waitFor()
  await shoot('a consent screen')
  await page.keyboard.press('Escape')
  that('the selection is kept', !(await skills.isChecked()))
  that('the duration is kept', (await page.getByLabel('It has to ask again').inputValue()) === '7')
  await page.route(`${callback}?**`, (route) => route.fulfill({ contentType: 'text/html', body: '<title>App</title>' }))
  await page.getByRole('button', { name: 'Connect', exact: true }).click()
  await question.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await page.waitForURL(`${callback}?**`)
  const answer = new URL(page.url()).searchParams
  that('the program has its code', answer.get('code')?.startsWith('osa_') === true, `${answer}`)
})

await step('The account’s data', async () => {
  await page.goto(`${base}/account`)
  await age()
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download my data' }).click()
  await answerByPasskey()
  that('the data is downloaded', (await download).suggestedFilename() === 'berth-account.json')
})

await step('A passkey: removed', async () => {
  await age()
  const passkeys = section('Passkeys')
  await passkeys.getByRole('button', { name: 'Remove Kept name' }).click()
  await answerByCode()
  await passkeys.getByRole('button', { name: 'Remove Kept name' }).waitFor({ state: 'detached' })
})

await step('The instance: deleted, with the confirmation kept', async () => {
  await page.goto(`${base}/instance?tab=settings`)
  await page.getByRole('region', { name: 'Delete' }).getByRole('button').click()
  const dialog = page.getByRole('dialog').first()
  await dialog.getByRole('textbox').fill('delete')
  await age()
  await dialog.getByRole('button', { name: /Delete/ }).click()
  await question.waitFor()
  await shoot('over another dialog')
  await page.keyboard.press('Escape')
  that('the form is still open with its confirmation', (await dialog.getByRole('textbox').inputValue()) === 'delete')
  await dialog.getByRole('button', { name: /Delete/ }).click()
  await answerByCode()
  await dialog.waitFor({ state: 'detached' })
})

await step('The account: deleted', async () => {
  await page.goto(`${base}/account`)
  await page.getByRole('button', { name: 'Delete account' }).click()
  await age()
  await page.getByRole('button', { name: 'Delete my account' }).click()
  await answerByCode()
  await signedOut(page)
})

that('the browser reported no errors', complaints.length === 0, complaints)
await browser.close()
process.exitCode = finish()
