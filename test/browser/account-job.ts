/**
 * The account in a browser: passkeys with a virtual authenticator, devices, a change of address, tokens renamed and
 * replaced, the data exported, the account deleted and kept. `BERTH_URL`, `SHOTS`, `CHROMIUM` as in main-job.ts.
 */
import { readFileSync } from 'node:fs'
import { startChecks } from './checks.ts'
import { patienceMs, startChromium } from './chromium.ts'
import { obstacles } from './page-facts.ts'
import { signedOut } from './visitor.ts'

// Browsers make no passkeys for an address that is a number.
const base = (process.env.BERTH_URL ?? 'http://127.0.0.1:8787').replace(/\/$/, '').replace('//127.0.0.1', '//localhost')
const email = `account-${Date.now()}@example.com`
const newEmail = `moved-${Date.now()}@example.com`

const browser = await startChromium()
const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, acceptDownloads: true })
const page = await context.newPage()
page.setDefaultTimeout(patienceMs)
const checks = startChecks(page, process.env.SHOTS && `${process.env.SHOTS}/account`)
const { step, that } = checks

const authenticator = await context.newCDPSession(page)
await authenticator.send('WebAuthn.enable')
const { authenticatorId } = await authenticator.send('WebAuthn.addVirtualAuthenticator', {
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

/** The newest e-mail's text; `fits` selects the expected one. */
async function mail(to: string, fits: RegExp): Promise<string> {
  for (let tries = 0; tries < 50; tries++) {
    const response = await fetch(`${base}/local/mail?to=${encodeURIComponent(to)}`)
    // safe because the local mailbox returns its e-mails, newest first
    const { mails } = (await response.json()) as { mails: { subject: string; text: string }[] }
    const newest = mails[0]
    if (newest && fits.test(newest.subject)) return newest.text
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error(`no mail like ${fits} came to ${to}`)
}
const codeIn = (text: string): string => /\b\d{6}\b/.exec(text)?.[0] ?? ''

async function signIn(as: string): Promise<void> {
  await page.getByLabel('E-mail address').fill(as)
  await page.getByRole('button', { name: 'Send me a code' }).click()
  await page.getByLabel('Six-digit code').fill(codeIn(await mail(as, /sign-in code/)))
  await page.getByRole('heading', { name: 'Welcome aboard' }).waitFor()
}
const section = (name: string) => page.getByRole('region', { name })
async function openAccount(): Promise<void> {
  await page.getByRole('button', { name: 'Account', exact: true }).click()
  await page.getByRole('link', { name: 'Account settings' }).click()
  await page.getByRole('heading', { level: 1, name: 'Account' }).waitFor()
  await page.getByText('Loading…').first().waitFor({ state: 'detached' })
  await section('Activity').getByRole('listitem').first().waitFor()
}
async function signOut(): Promise<void> {
  await page.getByRole('button', { name: 'Account', exact: true }).click()
  await page.getByRole('button', { name: 'Sign out', exact: true }).click()
  await signedOut(page)
}
const noObstacles = async (where: string) => {
  const found = await obstacles(page)
  that(`${where} has no obstacle for keyboard or screen reader`, found.length === 0, found)
}

await step('Create a passkey', async () => {
  await page.goto(`${base}/sign-in`)
  await signIn(email)
  await openAccount()
  await noObstacles('The account page')
  await page.getByLabel('Name of this device').fill('Test laptop')
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await section('Passkeys').getByText('Test laptop').first().waitFor()
  const { credentials } = await authenticator.send('WebAuthn.getCredentials', { authenticatorId })
  that('the authenticator has one for localhost', credentials.length === 1 && credentials[0]?.rpId === 'localhost')
  that('its owner got an e-mail', (await mail(email, /passkey was added/)).includes('Test laptop'))
  await page.getByLabel('Name of this device').fill('Twice')
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await page.getByText('has a passkey for your account already').waitFor()
})

await step('Sign in with the passkey', async () => {
  await signOut()
  await noObstacles('The sign-in page')
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await page.getByRole('heading', { level: 1, name: 'Account' }).waitFor()
  const { credentials } = await authenticator.send('WebAuthn.getCredentials', { authenticatorId })
  that('the browser used the authenticator', (credentials[0]?.signCount ?? 0) > 1, credentials[0]?.signCount)
})

await step('View the devices and sign one out', async () => {
  const other = await browser.newContext()
  const elsewhere = await other.newPage()
  await elsewhere.goto(`${base}/sign-in`)
  await elsewhere.getByLabel('E-mail address').fill(email)
  await elsewhere.getByRole('button', { name: 'Send me a code' }).click()
  await elsewhere.getByLabel('Six-digit code').fill(codeIn(await mail(email, /sign-in code/)))
  await elsewhere.getByRole('heading', { name: 'Welcome aboard' }).waitFor()
  await page.reload()
  const devices = section('Signed-in devices')
  await devices.getByText('this device, now').waitFor()
  that('both devices are listed', (await devices.getByText('Chrome on Linux').count()) >= 2)
  await devices.getByRole('button', { name: 'Sign out Chrome on Linux' }).first().click()
  await devices.getByRole('button').first().waitFor({ state: 'detached' })
  const asked = await other.request.get(`${base}/api/auth/session`)
  that('the other device is signed out', asked.status() === 401, asked.status())
  await other.close()
})

await step('Rename and replace a token', async () => {
  await page.getByRole('link', { name: 'Tokens', exact: true }).click()
  await page.getByLabel('Name').fill('Old name')
  await page.getByRole('button', { name: 'Make token' }).click()
  const old = await page.getByLabel('Token', { exact: true }).inputValue()
  await page.getByRole('button', { name: 'I have stored it' }).click()
  await page.getByRole('button', { name: 'Change Old name' }).click()
  await noObstacles('The dialog')
  await page.getByRole('dialog').getByLabel('Name').fill('New name')
  await page.getByRole('button', { name: 'Rename' }).click()
  await page.getByRole('button', { name: 'Change New name' }).click()
  await page.getByLabel('The old token').selectOption('0')
  await page.getByRole('button', { name: 'Replace token' }).click()
  await page.getByRole('heading', { name: '“New name” is ready' }).waitFor()
  const fresh = await page.getByLabel('Token', { exact: true }).inputValue()
  const use = async (token: string) =>
    (await fetch(`${base}/api/tokens`, { headers: { authorization: `Bearer ${token}` } })).status
  that('the new token works, and the old one does not', (await use(fresh)) === 200 && (await use(old)) === 401)
})

await step('Change the e-mail address', async () => {
  await openAccount()
  await page.getByLabel('New address').fill(newEmail)
  await page.getByRole('button', { name: 'Send the codes' }).click()
  const codes = [codeIn(await mail(email, /Confirm/)), codeIn(await mail(newEmail, /Confirm/))]
  await page.getByLabel(`Code sent to ${email}`).fill(codes[0] ?? '')
  await page.getByLabel(`Code sent to ${newEmail}`).fill(codes[1] ?? '')
  await page.getByRole('button', { name: 'Move the account' }).click()
  await page.getByText('has moved to this address').waitFor()
  that('the old address got an e-mail', (await mail(email, /has changed/)).includes(newEmail))
})

await step('Export the data', async () => {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download my data' }).click(),
  ])
  // safe because each use below is compared with the account's known data
  const data = JSON.parse(readFileSync(await download.path(), 'utf8')) as {
    account: { email: string }
    tokens: object[]
  }
  that(
    'the file contains the account and its tokens',
    data.account.email === newEmail && data.tokens.length === 2,
    data,
  )
})

await step('The page fits a phone', async () => {
  await page.setViewportSize({ width: 390, height: 844 })
  await noObstacles('The account page on a phone')
  await page.setViewportSize({ width: 1280, height: 800 })
})

await step('Delete the account, and keep it after all', async () => {
  await page.getByRole('button', { name: 'Delete account' }).click()
  await page.keyboard.press('Escape')
  that('Escape keeps the account', (await context.request.get(`${base}/api/account`)).ok())
  await page.getByRole('button', { name: 'Delete account' }).click()
  await page.getByRole('button', { name: 'Delete my account' }).click()
  await signedOut(page)
  await mail(newEmail, /will be deleted/)
  await page.goto(`${base}/sign-in`)
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await page.getByRole('heading', { name: 'Welcome aboard' }).waitFor()
  await mail(newEmail, /stays/)
})

that('the browser reported no errors', complaints.length === 0, complaints)
await browser.close()
process.exitCode = checks.finish()
