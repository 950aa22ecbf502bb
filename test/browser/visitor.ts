/** The first steps of every visitor: sign in with an e-mailed code, take a plan. */
import type { Page } from 'playwright-core'

/** The code of the newest e-mail to an address, from the local mailbox. */
export async function mailedCode(base: string, email: string): Promise<string> {
  for (let tried = 0; tried < 75; tried++) {
    const response = await fetch(`${base}/local/mail?to=${encodeURIComponent(email)}`)
    if (!response.ok) throw new Error(`GET /local/mail answered ${response.status}`)
    // safe because the local mailbox returns its e-mails, newest first
    const { mails } = (await response.json()) as { mails: { text: string }[] }
    const code = /\b\d{6}\b/.exec(mails[0]?.text ?? '')?.[0]
    if (code) return code
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  throw new Error(`no code was mailed to ${email}`)
}

/** Waits until the page shows that nobody is signed in. */
export const signedOut = (page: Page) =>
  page
    .getByRole('heading', { name: /^(Sign in|An agent of your own)/ })
    .first()
    .waitFor()

export async function signIn(page: Page, base: string, email: string): Promise<void> {
  await page.goto(`${base}/sign-in`)
  await page.getByLabel('E-mail').fill(email)
  await page.keyboard.press('Enter')
  await page.getByLabel('Six-digit code').fill(await mailedCode(base, email))
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Welcome aboard' }).waitFor()
}

/** Takes the smallest plan on the hosted page and waits for the machine. */
export async function subscribe(page: Page, base: string): Promise<void> {
  await page.goto(`${base}/instance`)
  await page.getByRole('button', { name: 'Subscribe to Starter' }).click()
  await page.waitForURL(/\/local\/checkout\//)
  await page.getByRole('button', { name: /^(Pay|Subscribe)/ }).click()
  await page.waitForURL((url) => !url.pathname.startsWith('/local/'))
  await page.goto(base)
  await page.getByRole('banner').getByRole('link', { name: 'Instance: running' }).waitFor({ timeout: 60_000 })
}
