/**
 * Every form that wants a sign-in of the last ten minutes, with one that is older: the session is aged in the store. What was
 * typed stays, the user signs in over the page, and what was asked for is done. `BERTH_URL`, `SHOTS`, `CHROMIUM` as in
 * main-job.ts; it wants a service of its own, whose store it can reach (`BERTH_DATA_DIR`).
 */
import { ageSession } from '../service/store.ts'
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
/** Makes the session of the page one of eleven minutes ago. */
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

await step('Sign in and subscribe', async () => {
  await signIn(page, base, email)
  await subscribe(page, base)
})

const limits = section('Spending limits')
const day = limits.getByLabel('Dollars a day, in all')
await step('Spending limits: say no, and keep what was typed', async () => {
  await page.goto(`${base}/wallet`)
  await day.fill('7.25')
  await age()
  await limits.getByRole('button', { name: 'Save limits' }).click()
  await question.waitFor()
  const found = await obstacles(page)
  that('nothing is in a keyboard’s or screen reader’s way', found.length === 0, found)
  await shoot('question')
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.setViewportSize({ width: 390, height: 844 })
  await shoot('question on a phone, dark')
  await page.emulateMedia({ colorScheme: 'light' })
  await page.setViewportSize({ width: 1280, height: 900 })
  await page.keyboard.press('Escape')
  await limits.getByText('Raising what can be spent needs a sign-in of the last 10 minutes.').waitFor()
  that('what was typed is there', (await day.inputValue()) === '7.25')
})

await step('Spending limits: sign in by a mailed code, and have them saved', async () => {
  const before = await age()
  await limits.getByRole('button', { name: 'Save limits' }).click()
  await answerByCode()
  await limits.getByText('The limits are saved and hold at once.').waitFor()
  const after = await sessions()
  that('the old session is ended', !after.some((session: { id: string }) => session.id === before), after)
  that('what was typed is there', (await day.inputValue()) === '7.25')
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

await step('Automatic top-up, by the passkey', async () => {
  await page.goto(`${base}/wallet`)
  const auto = section('Automatic top-up')
  await auto.getByLabel('Top up by itself').check()
  await auto.getByLabel('When the balance falls to').fill('4')
  await auto.getByLabel('But in a month at most').fill('60')
  await age()
  await auto.getByRole('button', { name: 'Save' }).click()
  await answerByPasskey()
  await auto.getByText(/Automatic top-up is on/).waitFor()
  that('what was typed is there', (await auto.getByLabel('But in a month at most').inputValue()) === '60')
})

await step('The account’s data', async () => {
  await page.goto(`${base}/account`)
  await age()
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download my data' }).click()
  await answerByPasskey()
  that('it is downloaded', (await download).suggestedFilename() === 'berth-account.json')
})

await step('A passkey: removed', async () => {
  await age()
  const passkeys = section('Passkeys')
  await passkeys.getByRole('button', { name: 'Remove Kept name' }).click()
  await answerByCode()
  await passkeys.getByRole('button', { name: 'Remove Kept name' }).waitFor({ state: 'detached' })
})

await step('The instance: deleted, with the word kept', async () => {
  await page.goto(`${base}/instance?tab=settings`)
  await page.getByRole('region', { name: 'Delete' }).getByRole('button').click()
  const dialog = page.getByRole('dialog').first()
  await dialog.getByRole('textbox').fill('delete')
  await age()
  await dialog.getByRole('button', { name: /Delete/ }).click()
  await question.waitFor()
  await shoot('over another dialog')
  await page.keyboard.press('Escape')
  that('the form is still there with its word', (await dialog.getByRole('textbox').inputValue()) === 'delete')
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

that('the browser had nothing to complain about', complaints.length === 0, complaints)
await browser.close()
process.exitCode = finish()
