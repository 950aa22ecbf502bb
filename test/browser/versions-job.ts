/** New versions of messages in a browser. `BERTH_URL`, `SHOTS`, `CHROMIUM` as in main-job.ts. */
import { call, hostedUser, origin } from '../service/client.ts'
import { forgetRates } from '../service/store.ts'
import { violations } from './axe.ts'
import { openAs } from './open-as.ts'
import { obstacles } from './page-facts.ts'

const user = await hostedUser(500)
const { browser, page, complaints, step, that, finish, shoot } = await openAs(user, origin, 'versions')
const log = page.getByRole('log')
const field = page.getByLabel('Message to your agent')
const own = (text: string) => log.locator('article.own').filter({ hasText: text })
const reply = (text: RegExp) => log.locator('article:not(.own)').filter({ hasText: text })
const button = (label: string) => page.getByRole('button', { name: label, exact: true })
async function ask(text: string) {
  await field.fill(text)
  await field.press('Enter')
}
async function accessible(what: string) {
  const found = [...(await obstacles(page)), ...(await violations(page))]
  that(`${what} has no obstacle for keyboard or screen reader`, found.length === 0, found)
}

await step('Edit a message in its place: the reply knows nothing of the earlier version', async () => {
  await page.goto(origin)
  for (const text of ['My boat is Heron.', 'She is blue.']) {
    await ask(text)
    await reply(new RegExp(`^.*You said: "?${text}`)).waitFor()
  }
  await own('She is blue.').getByRole('button', { name: 'Edit' }).click()
  const editor = page.getByLabel('New version of your message')
  that('the text is in the message', (await editor.inputValue()) === 'She is blue.')
  that('the editor has the focus', await editor.evaluate((at) => at === document.activeElement))
  await accessible('the editor')
  await shoot('Editing')
  await editor.press('Escape')
  await own('She is blue.').getByText('She is blue.').waitFor()
  await own('She is blue.').getByRole('button', { name: 'Edit' }).click()
  await editor.fill('What did I say?')
  await editor.press('Control+Enter')
  await reply(/Before that you said: "?My boat is Heron\."?\./).waitFor()
  that('the earlier version is not shown', (await own('She is blue.').count()) === 0)
})

await step('Regenerate a reply, and page through the versions', async () => {
  await reply(/Before that you said/)
    .getByRole('button', { name: 'Regenerate' })
    .click()
  await log.getByText('3 / 3').waitFor()
  await reply(/Before that you said: "?My boat is Heron\."?\./).waitFor()
  await button('Earlier version').click()
  await log.getByText('2 / 3').waitFor()
  that('the focus stays', await button('Earlier version').evaluate((at) => at === document.activeElement))
  await page.keyboard.press('Enter')
  await log.getByText('1 / 3').waitFor()
  await own('She is blue.').waitFor()
  await reply(/You said: "?She is blue/).waitFor()
  await page.getByText('This is an earlier version of the conversation.').waitFor()
  await accessible('an earlier version')
  await shoot('Earlier version')
  for (const scheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme: scheme })
    await page.setViewportSize(scheme === 'dark' ? { width: 390, height: 800 } : { width: 1280, height: 800 })
    if (scheme === 'dark') await shoot('Earlier version dark narrow')
  }
  await page.reload()
  await log.getByText('3 / 3').waitFor()
  that('the newest version is shown after a reload', (await own('She is blue.').count()) === 0)
})

await step('A message that is sent while an earlier version is shown continues the newest one', async () => {
  await button('Earlier version').click()
  await button('Earlier version').click()
  await own('She is blue.').waitFor()
  await ask('Do you remember it all?')
  const answer = reply(/Before that you said/).filter({ hasText: 'Do you remember it all?' })
  await answer.waitFor()
  const words = (await answer.textContent()) ?? ''
  that('the agent knows the newest version', words.includes('My boat is Heron.'), words)
  that('and nothing of an earlier one', !words.includes('blue'), words)
  that('the newest version is shown', (await own('She is blue.').count()) === 0)
})

await step('Stopped is written at a reply, with its cost, and at a message without one', async () => {
  await ask(`/slow 400 ${'word '.repeat(60)}`.trim())
  await page.locator('.pending-reply .message-text').waitFor()
  await button('Stop').click()
  const stopped = log.locator('article:not(.own)').filter({ hasText: 'Stopped' })
  await stopped.waitFor()
  await stopped.getByRole('button', { name: /^Details and cost/ }).click()
  await stopped
    .getByText(/\$0\.\d*[1-9]/)
    .first()
    .waitFor()
  const shown = (await stopped.locator('.reply-details .money').first().textContent()) ?? ''
  const question = await call('GET', '/chat/messages?limit=2', undefined, user)
  // safe because the operation returns these
  const { id } = (question.body.messages as { id: string; role: string }[]).find(({ role }) => role === 'user') ?? {}
  const { cost } = (await call('GET', `/chat/messages/${id}/cost`, undefined, user)).body as {
    cost: { amountMicros: number }
  }
  that('the cost is the ledger’s', Number(shown.replace('$', '')) * 1e6 === cost.amountMicros, [
    shown,
    cost.amountMicros,
  ])
  await ask('/slow 9000 never mind')
  await page.getByText('Your agent is working…').waitFor()
  await button('Stop').click()
  await page.getByText('You stopped this.').waitFor()
  await ask('And now?')
  await reply(/You said: "?And now\?/).waitFor()
  await page.reload()
  await own('never mind').getByText('You stopped this.').waitFor()
  await shoot('Stopped')
})

await step('A question and its answer stay in the text', async () => {
  await ask('/tool ask_user {"question": "May I sail?", "answer": "approve"}')
  await button('Approve').click()
  await log.getByText('You approved this.').waitFor()
  await page.reload()
  const asked = log.locator('article.asked')
  await asked.getByText('May I sail?').waitFor()
  await asked.getByText('You approved this.').waitFor()
  await accessible('an answered question')
  await shoot('Answered')
})

await step('Of several messages sent fast, each reply names its own', async () => {
  const sent = ['/slow 800 wait', 'first of three', 'second of three', 'third of three']
  for (const text of sent) await ask(text)
  for (const text of sent.slice(1)) await reply(new RegExp(`You said: "?${text}`)).waitFor()
  const quotes = (await log.locator('.message-quote').allTextContents()).join()
  that(
    'each reply but the last quotes its message',
    sent.slice(0, -1).every((text) => quotes.includes(text)),
    quotes,
  )
  that('the last one needs no quote', !quotes.includes('third'), quotes)
  const first = reply(/You said: "?first of three/)
  await first.locator('.message-quote').getByRole('button').click()
  await log.locator('article.marked').getByText('first of three').waitFor()
  await shoot('Quotes')
})

await step('An agent with its own memory: edit as a new conversation', async () => {
  await page.route('**/api/instance/status', async (route) => {
    const answer = await route.fetch()
    const body = await answer.json()
    body.instance.runtime = 'pi'
    await route.fulfill({ response: answer, json: body })
  })
  await forgetRates()
  await page.reload()
  await own('third of three').getByRole('button', { name: 'Edit as new conversation' }).click()
  await page.getByRole('heading', { name: 'A conversation of its own' }).waitFor()
  that('the text is in its field', (await field.inputValue()) === 'third of three', await field.inputValue())
  await page.goBack()
  await own('third of three').waitFor()
  that('the conversation is as before', (await own('third of three').count()) === 1)
})

that('the browser reported no errors', complaints.length === 0, complaints)
await browser.close()
process.exitCode = finish()
