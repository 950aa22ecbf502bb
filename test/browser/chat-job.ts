/**
 * The chat in a browser, with network cuts and a killed service. `SHOTS`, `CHROMIUM` as in main-job.ts. It starts its
 * own service, which it stops and restarts.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startBerth } from '../../local/main.ts'
import { openAs } from './open-as.ts'
import { obstacles } from './page-facts.ts'

const dataDir = mkdtempSync(join(tmpdir(), 'berth-chat-'))
let berth = await startBerth({ port: 0, dataDir, quiet: true })
process.env.BERTH_URL = berth.url
const port = Number(new URL(berth.url).port)
const { call, hostedUser, origin } = await import('../service/client.ts')
const restart = async () => {
  await berth.stop()
  berth = await startBerth({ port, dataDir, quiet: true })
}

const user = await hostedUser(500)
const { browser, context, page, complaints, step, that, finish, shoot } = await openAs(user, origin, 'chat')
const log = page.getByRole('log')
const field = page.getByLabel('Message to your agent')
const said = async () => {
  const { body } = await call('GET', '/chat/messages?limit=100', undefined, user)
  // safe because the operation returns these
  return body.messages as { role: string; text: string }[]
}
const own = async (text: string) =>
  (await said()).filter((message) => message.role === 'user' && message.text === text).length
const answer = (text: string) => log.getByText(new RegExp(`^You said: "?${text}"?`))

async function until(what: string, holds: () => Promise<boolean>, limitMs = 60_000): Promise<void> {
  const endMs = Date.now() + limitMs
  while (!(await holds())) {
    if (Date.now() > endMs) throw new Error(`${what}: not within ${limitMs / 1_000} s`)
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}

await step('A draft survives a reload, and is removed once it is sent', async () => {
  await page.goto(origin)
  await field.fill('half a thought')
  await page.reload()
  that('the draft is in the field', (await field.inputValue()) === 'half a thought', await field.inputValue())
  await field.press('Enter')
  await answer('half a thought').waitFor()
  await page.reload()
  await answer('half a thought').waitFor()
  that('the draft is removed', (await field.inputValue()) === '')
})

await step('Without the network a message is kept, even over a reload, and sent once', async () => {
  await context.setOffline(true)
  await field.fill('sent from the train')
  await field.press('Enter')
  await log.getByText('Not sent yet. It is sent by itself').waitFor()
  await shoot('Without the network')
  that('nobody is said to work on it', (await page.locator('.pending-reply').count()) === 0)
  await context.setOffline(false)
  await answer('sent from the train').waitFor()
  that('it was sent once', (await own('sent from the train')) === 1)
  that('no message is waiting any more', (await log.getByText('Not sent yet.').count()) === 0)
})

await step('A lost answer does not duplicate the message', async () => {
  let lost = 0
  await page.route('**/api/chat/messages', async (route) => {
    if (route.request().method() !== 'POST' || lost > 0) return route.fallback()
    lost += 1
    await route.fetch()
    await route.abort()
  })
  await field.fill('said once')
  await field.press('Enter')
  await answer('said once').waitFor()
  await page.reload()
  await answer('said once').waitFor()
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  that('the answer was lost', lost === 1)
  that('the service accepted the message once', (await own('said once')) === 1, await own('said once'))
  that('the message is shown once', (await log.getByText('said once', { exact: true }).count()) === 1)
})

await step('Two pages of one browser send a kept message once', async () => {
  const other = await context.newPage()
  await other.goto(origin)
  await other.getByLabel('Message to your agent').waitFor()
  await context.setOffline(true)
  await field.fill('from two pages')
  await field.press('Enter')
  await log.getByText('Not sent yet. It is sent by itself').waitFor()
  await context.setOffline(false)
  await answer('from two pages').waitFor()
  await other
    .getByRole('log')
    .getByText(/^You said: "?from two pages/)
    .waitFor()
  that('the service accepted the message once', (await own('from two pages')) === 1)
  await other.close()
})

await step('Stop, reload, and ask again', async () => {
  const long = `/slow 400 ${'word '.repeat(80)}`.trim()
  await field.fill(long)
  await field.press('Enter')
  await page.locator('.pending-reply .message-text').waitFor()
  await page.getByRole('button', { name: 'Stop' }).click()
  await page.getByText('Details and cost').last().waitFor()
  await page.locator('.pending-reply').waitFor({ state: 'detached' })
  const stopped = (await said()).at(-1)
  that('the text so far stays', stopped?.role === 'agent' && stopped.text.length < long.length, stopped?.text)
  await field.fill('/slow 9000 never mind')
  await field.press('Enter')
  await page.getByText('Your agent is working…').waitFor()
  await until('the agent has it', async () => (await said()).at(-1)?.text === '/slow 9000 never mind')
  await page.getByRole('button', { name: 'Stop' }).click()
  await page.getByText('You stopped this.').waitFor()
  await page.reload()
  await page.getByText('You stopped this.').waitFor()
  const found = await obstacles(page)
  that('the page has no obstacle for keyboard or screen reader', found.length === 0, found)
  const before = (await said()).length
  await page.getByRole('button', { name: 'Ask again' }).click()
  await page.getByText('Your agent is working…').waitFor()
  await until('it is with the service', async () => (await said()).length > before)
  that('the question was sent again', (await said()).length === before + 1)
  await page.getByRole('button', { name: 'Stop' }).click()
  await page.getByText('You stopped this.').waitFor()
})

await step('Edit and resend, copy, and view the receipt', async () => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const mine = log.locator('article.own').filter({ hasText: 'from two pages' })
  await mine.getByRole('button', { name: 'Edit' }).click()
  const editor = page.getByLabel('New version of your message')
  that('the message’s text is in the field', (await editor.inputValue()) === 'from two pages')
  await editor.fill('from one page')
  await page.getByRole('button', { name: 'Send', exact: true }).first().click()
  await answer('from one page').waitFor()
  const reply = log.locator('article').filter({ hasText: /You said: "?from one page/ })
  await reply.getByRole('button', { name: 'Copy' }).click()
  const copied = await page.evaluate(() => navigator.clipboard.readText())
  that('the reply is copied', copied.startsWith('You said: "from one page"'), copied)
  await reply.getByRole('button', { name: /^Details and cost/ }).click()
  await reply.locator('summary').first().click()
  await reply.getByText('Charged, rounded up').waitFor()
})

await step('Search, and open a result', async () => {
  await page.getByLabel('Search titles and messages').fill('HALF thought')
  await page.getByLabel('Search titles and messages').press('Enter')
  await page.getByText('2 messages.').waitFor()
  await shoot('Found')
  await page.locator('.found-line').last().click()
  await log.locator('article.marked').getByText('half a thought').waitFor()
  that('the message is not in the URL', !page.url().includes('message='), page.url())
})

await step('The service is killed in the middle of a reply', async () => {
  const words = Array.from({ length: 150 }, (_, index) => index).join(' ')
  const whole = `You said: "/slow 60 ${words}"`
  const seen: string[] = []
  await page.exposeFunction('noteGrowing', (text: string) => text !== seen.at(-1) && seen.push(text))
  await page.evaluate(() => {
    const note = () => {
      const text = document.querySelector('.pending-reply .message-text')?.textContent
      // safe because the test exposes it above
      if (text) (window as unknown as { noteGrowing(text: string): void }).noteGrowing(text)
    }
    new MutationObserver(note).observe(document.body, { subtree: true, childList: true, characterData: true })
  })
  await field.fill(`/slow 60 ${words}`)
  await field.press('Enter')
  await until('the beginning', async () => seen.length > 3)
  await restart()
  await log.getByText(whole, { exact: true }).waitFor({ timeout: 150_000 })
  that('the page was not reloaded', seen.length > 3)
  that(
    'no character was lost or shown twice',
    seen.every((text) => whole.startsWith(text)),
    seen.filter((text) => !whole.startsWith(text)).slice(0, 3),
  )
  that('the question was sent and answered once', (await own(`/slow 60 ${words}`)) === 1)
  await field.fill('still there?')
  await field.press('Enter')
  await answer('still there').waitFor({ timeout: 90_000 })
})

await step('On a phone, Enter inserts a new line, and the arrow sends', async () => {
  const phone = await browser.newContext({ viewport: { width: 390, height: 800 }, hasTouch: true, isMobile: true })
  await phone.addCookies(await context.cookies())
  const tab = await phone.newPage()
  await tab.goto(origin)
  const input = tab.getByLabel('Message to your agent')
  await input.fill('one')
  await input.press('Enter')
  await input.pressSequentially('two')
  that('Enter inserts a new line', (await input.inputValue()) === 'one\ntwo', await input.inputValue())
  await tab.getByRole('button', { name: 'Send', exact: true }).click()
  await tab.getByRole('log').locator('article.own').getByText('one\ntwo').last().waitFor()
  await phone.close()
})

that('the browser reported no errors', complaints.length === 0, complaints)
await browser.close()
await berth.stop()
rmSync(dataDir, { recursive: true, force: true })
process.exitCode = finish()
