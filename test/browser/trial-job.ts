/**
 * A visitor tries the service: from the landing page to the first answer in three actions, with a machine that takes 40
 * s to start; over a reload; then a plan, which keeps everything. And a newcomer, from `npm start` to the first answer.
 * It starts its own service. `SHOTS`, `CHROMIUM` as in main-job.ts.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { violations } from './axe.ts'
import { startChecks } from './checks.ts'
import { patienceMs, startChromium } from './chromium.ts'
import { obstacles } from './page-facts.ts'
import { mailedCode } from './visitor.ts'

const startSeconds = 40
const dataDir = mkdtempSync(join(tmpdir(), 'berth-trial-'))
const browser = await startChromium()
const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
const page = await context.newPage()
page.setDefaultTimeout(patienceMs)
const { step, that, shoot, finish } = startChecks(page, process.env.SHOTS && `${process.env.SHOTS}/trial`)
const complaints: string[] = []
page.on('pageerror', (error) => complaints.push(error.message))
page.on('console', (message) => {
  if (/Content Security Policy/i.test(message.text())) complaints.push(message.text())
})

/** The counted actions of a person: a command, an address opened, a field filled in (and sent by Enter), a press. */
function person(shown: Page) {
  let count = 0
  return {
    get actions() {
      return count
    },
    does<T>(act: () => Promise<T>): Promise<T> {
      count++
      return act()
    },
    write(label: string, text: string, send = false): Promise<void> {
      return this.does(async () => {
        await shown.getByLabel(label).fill(text)
        if (send) await shown.keyboard.press('Enter')
      })
    },
  }
}

/** The service as a newcomer starts it. @returns its address and a function that stops it */
async function npmStart(env: Record<string, string>): Promise<{ url: string; stop: () => Promise<void> }> {
  const main = join(import.meta.dirname, '../../local/main.ts')
  const child = spawn(process.execPath, [main], { env: { ...process.env, PORT: '0', DATA_DIR: dataDir, ...env } })
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  let text = ''
  const url = await new Promise<string>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (part) => {
        text += part
        const found = /Open\s+(http:\S+)/.exec(text)?.[1]
        if (found) resolve(found)
      })
    child.once('exit', () => reject(new Error(`the service ended: ${text.slice(-500)}`)))
  })
  const stop = async () => {
    child.kill('SIGTERM')
    await exited
  }
  return { url, stop }
}

const log = page.getByRole('log')
const answered = (text: string) => log.getByText(new RegExp(`You said: "?${text}`)).first()

let service = await npmStart({ BERTH_START_SECONDS: String(startSeconds) })
const email = `guest-${Date.now()}@example.com`

await step('From the landing page to the first answer in three actions, with a slow machine', async () => {
  await page.goto(service.url)
  const visitor = person(page)
  const startMs = Date.now()
  await page.getByRole('heading', { name: 'Try it now' }).waitFor()
  that('the page has no obstacle for a reader', (await obstacles(page)).length === 0, await obstacles(page))
  await shoot('Welcome with a trial')
  await visitor.write('What should your agent do first?', 'When is the tide?')
  await visitor.write('Your e-mail address', email, true)
  await page.getByLabel('Six-digit code').waitFor()
  const code = await mailedCode(service.url, email)
  await visitor.write('Six-digit code', code)
  await log.getByText('When is the tide?').waitFor()
  await page.getByText('Your agent’s machine is being set up').waitFor()
  await page.getByText(/Trial: \$0\.25 left/).waitFor()
  await page.getByText('This is a stand-in that repeats what you say').waitFor()
  that(
    'no part of the page claims to be out of date',
    (await page.getByText('does not answer right now').count()) === 0,
  )
  await shoot('The machine starts')
  await answered('When is the tide').waitFor({ timeout: 80_000 })
  const seconds = (Date.now() - startMs) / 1_000
  console.log(`  first answer after ${seconds.toFixed(1)} s, ${startSeconds} s of which the machine took to start`)
  that('the answer arrives within 60 s', seconds <= 60, seconds)
  that('the machine was slow to start', seconds >= startSeconds, seconds)
  that('three actions at most', visitor.actions <= 3, visitor.actions)
  await shoot('The first answer')
})

await step('The ledger shows the cost', async () => {
  await page.goto(`${service.url}/wallet`)
  await page.locator('.ledger').getByText('Trial credit').first().waitFor()
  await shoot('The ledger')
})

await step('A feature of plans is refused with a way to get it', async () => {
  const { status, body } = await page.evaluate(async () => {
    const headers = { 'Content-Type': 'application/json' }
    const hook = JSON.stringify({ name: 'Deployments', text: 'Look at it.' })
    const answer = await fetch('/api/hooks', { method: 'POST', headers, body: hook })
    return { status: answer.status, body: await answer.text() }
  })
  that('the refusal is a 409 that advises to subscribe', status === 409 && body.includes('Subscribe'), body)
})

await step('A plan keeps everything, and opens the chat with example prompts', async () => {
  await page.goto(`${service.url}/billing`)
  await page.goto(`${service.url}/instance`)
  await page.getByRole('button', { name: 'Subscribe to Starter' }).first().click()
  await page.waitForURL(/\/local\/checkout\//)
  await page.getByRole('button', { name: /^(Pay|Subscribe)/ }).click()
  await page.waitForURL((url) => !url.pathname.startsWith('/local/'))
  that('the chat is open', new URL(page.url()).pathname === '/', page.url())
  await answered('When is the tide').waitFor()
  const ideas = page.getByRole('list', { name: 'Prompts to try' }).getByRole('button')
  await ideas.first().waitFor()
  that('three prompts are offered', (await ideas.count()) === 3, await ideas.count())
  that('the page has no obstacle for a reader', (await obstacles(page)).length === 0, await obstacles(page))
  await shoot('After payment')
  const idea = (await ideas.first().textContent()) ?? ''
  await ideas.first().click()
  that('a prompt fills the composer', (await page.getByLabel('Message to your agent').inputValue()) === idea)
  that('the prompts are hidden', (await ideas.count()) === 0)
  that('the page no longer mentions a trial', (await page.getByText(/^Trial:/).count()) === 0)
})

await step('The prompt survives a reload, and the e-mailed link', async () => {
  const other = await browser.newContext()
  const guest = await other.newPage()
  const address = `link-${Date.now()}@example.com`
  await guest.goto(service.url)
  await guest.getByLabel('What should your agent do first?').fill('Count the boats')
  await guest.reload()
  const field = guest.getByLabel('What should your agent do first?')
  that('the prompt is in the composer', (await field.inputValue()) === 'Count the boats', await field.inputValue())
  await guest.getByLabel('Your e-mail address').fill(address)
  await guest.keyboard.press('Enter')
  await guest.getByLabel('Six-digit code').waitFor()
  await mailedCode(service.url, address)
  const response = await fetch(`${service.url}/local/mail?to=${encodeURIComponent(address)}`)
  // safe because the local mailbox returns its e-mails
  const { mails } = (await response.json()) as { mails: { text: string }[] }
  const link = /http\S+\/sign-in#\S+/.exec(mails[0]?.text ?? '')?.[0] ?? ''
  await guest.goto('about:blank')
  await guest.goto(link)
  await guest.getByRole('button', { name: 'Sign in' }).click()
  await guest.getByRole('log').getByText('Count the boats').waitFor()
  await guest.getByText('Your agent’s machine is being set up').waitFor()
  await other.close()
})

await step('A third trial from the same network is refused, the input is kept, and prices are shown', async () => {
  const other = await browser.newContext()
  const guest = await other.newPage()
  const address = `third-${Date.now()}@example.com`
  await guest.goto(service.url)
  await guest.getByRole('heading', { name: 'What it costs' }).waitFor()
  await guest.getByLabel('What should your agent do first?').fill('One more')
  await guest.getByLabel('Your e-mail address').fill(address)
  await guest.keyboard.press('Enter')
  await guest.getByLabel('Six-digit code').fill(await mailedCode(service.url, address))
  await guest.getByText('Too many trials were started from your network').waitFor()
  const field = guest.getByLabel('Message to your agent')
  that('the input is kept', (await field.inputValue()) === 'One more', await field.inputValue())
  await other.close()
})

await service.stop()
rmSync(dataDir, { recursive: true, force: true })

await step('A newcomer: from npm start to the first answer in six actions', async () => {
  const fresh = await browser.newContext()
  const shown = await fresh.newPage()
  const newcomer = person(shown)
  service = await newcomer.does(() => npmStart({}))
  const address = `newcomer-${Date.now()}@example.com`
  await newcomer.does(() => shown.goto(service.url))
  await newcomer.write('What should your agent do first?', 'Say hello')
  await newcomer.write('Your e-mail address', address, true)
  const [inbox] = await newcomer.does(() =>
    Promise.all([
      shown.waitForEvent('popup'),
      shown.getByRole('link', { name: 'Your e-mail is in the local inbox' }).click(),
    ]),
  )
  const code = await codeIn(inbox)
  that('the inbox has no obstacle for a reader', (await violations(inbox)).length === 0, await violations(inbox))
  await newcomer.write('Six-digit code', code)
  await shown
    .getByRole('log')
    .getByText(/You said: "?Say hello/)
    .first()
    .waitFor({ timeout: 60_000 })
  await shown.getByText('This is a stand-in that repeats what you say').waitFor()
  that('six actions at most', newcomer.actions <= 6, newcomer.actions)
  await fresh.close()
})

await step('The page of local helpers leads to all of them', async () => {
  await page.goto(`${service.url}/local`)
  that('it has no obstacle for a reader', (await violations(page)).length === 0, await violations(page))
  const helpers = page.getByRole('list').first().getByRole('link')
  const names = await helpers.allInnerTexts()
  that('it lists every helper', names.join() === 'Inbox,Stripe,Telegram,Slack,Discord', names)
  await shoot('Local helpers')
  for (const name of names) {
    await page.goto(`${service.url}/local`)
    await helpers.getByText(name, { exact: true }).click()
    await page.waitForURL(/\/local\/\w+/)
    that(`${name} has a page`, (await page.getByRole('heading').count()) > 0, page.url())
  }
})

/** The code in the newest e-mail of an open inbox, which is empty until the e-mail arrives. */
async function codeIn(inbox: Page): Promise<string> {
  for (let left = 20; left > 0; left--) {
    const text = await inbox.getByRole('main').innerText()
    const code = /\b\d{6}\b/.exec(text)?.[0]
    if (code) return code
    await inbox.getByRole('link', { name: 'Reload' }).click()
  }
  throw new Error(`no code in ${inbox.url()}`)
}

that('the browser reported no errors', complaints.length === 0, complaints)
await service.stop()
rmSync(dataDir, { recursive: true, force: true })
await browser.close()
process.exitCode = finish()
