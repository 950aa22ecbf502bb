/**
 * A chat is linked, used, lost, found and unlinked, in a browser. `BERTH_URL`, `SHOTS`, `CHROMIUM` as in main-job.ts.
 */
import type { Page } from 'playwright-core'
import decodeQR from 'qr/decode.js'
import { hostedUser, origin, until } from '../service/client.ts'
import { openAs } from './open-as.ts'
import { obstacles } from './page-facts.ts'

const user = await hostedUser(500)
const { browser, context, page, complaints, step, that, shoot, finish } = await openAs(user, origin, 'connect', {
  viewport: { width: 1440, height: 900 },
})
page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))

const section = (title: string) => page.getByRole('region', { name: title })
const linking = section('Link a chat')
const chats = section('Linked chats')
const deliveries = page.getByRole('list', { name: 'Deliveries' })
const nothingInTheWay = async (where: string) => {
  const found = await obstacles(page)
  that(`${where}: no obstacle for keyboard or screen reader`, found.length === 0, found)
}

/** Telegram, as a person uses it; an action returns its result. */
async function onTelegram<T>(asked: object): Promise<T> {
  const response = await fetch(`${origin}/local/telegram/do`, { method: 'POST', body: JSON.stringify(asked) })
  if (!response.ok) throw new Error(`${JSON.stringify(asked)} answered ${response.status} ${await response.text()}`)
  // safe because each use below names the emulator's answer
  return (await response.json()) as T
}
interface Told {
  bot: { id: number }
  chats: { id: number; messages: { from: number; text?: string }[] }[]
}
async function toldByBot(chat: number): Promise<string[]> {
  const state = (await (await fetch(`${origin}/local/telegram/state`)).json()) as Told // safe because the state has this shape
  const messages = state.chats.find(({ id }) => id === chat)?.messages ?? []
  return messages.filter(({ from }) => from === state.bot.id).map(({ text }) => text ?? '')
}
const person = `Ada ${Date.now()}`
const { id: ada } = await onTelegram<{ id: number }>({ do: 'person', name: person })
const say = (text: string, chat = ada) => onTelegram({ do: 'say', chat, person: ada, text })
const botIs = (standing: 'member' | 'kicked', chat = ada) => onTelegram({ do: 'bot', chat, person: ada, standing })

/** Reads the QR code on the page as a phone’s camera would. */
async function readQr(): Promise<string> {
  const { width, height, data } = await linking.getByRole('img', { name: /^QR code/ }).evaluate(async (svg) => {
    const image = new Image()
    const [side, scale] = [Number(svg.getAttribute('viewBox')?.split(' ')[2]), 6]
    const drawn = svg.cloneNode(true) as Element // safe because a copy of an element is an element
    drawn.setAttribute('xmlns', 'http://www.w3.org/2000/svg')
    for (const length of ['width', 'height']) drawn.setAttribute(length, String(side * scale))
    image.src = `data:image/svg+xml,${encodeURIComponent(drawn.outerHTML)}`
    await image.decode()
    const canvas = Object.assign(document.createElement('canvas'), { width: image.width, height: image.height })
    const context = canvas.getContext('2d')
    context?.drawImage(image, 0, 0)
    const pixels = context?.getImageData(0, 0, image.width, image.height)
    return { width: image.width, height: image.height, data: [...(pixels?.data ?? [])] }
  })
  return decodeQR({ width, height, data: Uint8ClampedArray.from(data) })
}

await step('Open the page without a linked chat', async () => {
  await page.goto(origin)
  await page.getByRole('link', { name: 'Connect', exact: true }).press('Enter')
  await page.getByRole('link', { name: 'Chats', exact: true }).press('Enter')
  that('the section has a URL', page.url() === `${origin}/connect?tab=channels`, page.url())
  await chats.getByText('No chat is linked yet.').waitFor()
  await section('Deliveries of the last week').getByText('Nothing yet.').waitFor()
  await nothingInTheWay('The page without chats')
})

await step('Read how to start with Slack', async () => {
  await linking.getByRole('radio', { name: /^Slack/ }).press('Space')
  await linking.getByRole('link', { name: 'Add it there' }).click()
  await page.getByRole('heading', { level: 1, name: 'Slack' }).waitFor()
  await nothingInTheWay('The page of Slack')
  await page.goBack()
})

await step('Get a code', async () => {
  await linking.getByRole('radio', { name: /^Telegram/ }).press('Space')
  await linking.getByRole('button', { name: 'Get a code' }).press('Enter')
  const code = await linking.getByLabel('Code', { exact: true }).inputValue()
  that('the code has two groups', /^[2-9A-Z]{4}-[2-9A-Z]{4}$/.test(code), code)
  const left = await linking.getByRole('timer').textContent()
  that('the page shows the code’s lifetime', /^(59:\d\d|60:00)$/.test(left ?? ''), left)
  const href = (await linking.getByRole('link', { name: 'Open Telegram' }).getAttribute('href')) ?? ''
  that('the link contains the code', href.endsWith(`?start=${code.replace('-', '')}`), href)
  await linking.getByRole('img', { name: /^QR code/ }).waitFor()
  that('the QR code contains the link', (await readQr()) === href)
  await nothingInTheWay('The page with a code')
  await shoot('code, light')
  await page.emulateMedia({ colorScheme: 'dark' })
  await shoot('code, dark')
  that('the QR code is the same in the dark', (await readQr()) === href)
  await page.emulateMedia({ colorScheme: 'light' })
})

await step('Send the code there, and see the confirmation here', async () => {
  const opened = context.waitForEvent('page')
  await linking.getByRole('link', { name: 'Open Telegram' }).click()
  const telegram = await opened
  await telegram.getByLabel('You are').selectOption({ label: person })
  await telegram.getByRole('textbox', { name: 'Message', exact: true }).press('Enter')
  await telegram.close()
  await linking.getByText(`Telegram is linked, as ${person}.`).waitFor()
  await chats.getByText(`Telegram, ${person}`).first().waitFor()
  that('the first chat is the home chat', await chats.getByRole('radio').isChecked())
  that('the code is no longer shown', (await linking.getByLabel('Code', { exact: true }).count()) === 0)
})

await step('Chat there, and see it here', async () => {
  await say('When is the tide high?')
  await until(
    'the answer there',
    () => toldByBot(ada),
    (told) => told.some((text) => text.includes('When is the tide high?')),
  )
  const sent = deliveries.getByRole('listitem').filter({ hasText: 'To Telegram' }).filter({ hasText: 'Sent' })
  await sent.filter({ hasText: 'When is the tide high?' }).first().waitFor()
  await deliveries.getByRole('listitem').filter({ hasText: 'From Telegram' }).first().waitFor()
  await page.getByRole('link', { name: 'Chat', exact: true }).click()
  const log = page.getByRole('log')
  await log.getByText('When is the tide high?').nth(1).waitFor()
  that('question and answer show their origin', (await log.getByText('via Telegram').count()) === 2)
  const field = page.getByLabel('Message to your agent')
  await field.fill('And here?')
  await field.press('Enter')
  await log.getByText('And here?').nth(1).waitFor()
  that('a message from here shows none', (await log.getByText('via').count()) === 2)
  await nothingInTheWay('The conversation')
  await shoot('conversation')
  await page.goBack()
})

await step('Lose the chat during an answer', async () => {
  await say('Are you there?')
  await botIs('kicked')
  const failed = deliveries.getByRole('listitem').filter({ hasText: 'Failed' })
  await failed.first().waitFor()
  await page.reload()
  await chats.getByText('Your agent cannot write there any more').waitFor()
  await section('Deliveries of the last week').getByLabel('Show').selectOption('failed')
  that('failed deliveries can be filtered', (await deliveries.getByRole('listitem').count()) === (await failed.count()))
  await nothingInTheWay('The page with a lost chat')
  await shoot('lost')
})

await step('Restore the chat, and send the answer', async () => {
  await botIs('member')
  await say('Here I am again.')
  await chats.getByRole('radio').waitFor({ timeout: 60_000 })
  await deliveries
    .getByRole('button', { name: /^Try again/ })
    .first()
    .click()
  await until(
    'the answer there',
    () => toldByBot(ada),
    (told) => told.some((text) => text.includes('Are you there?')),
  )
  await section('Deliveries of the last week').getByText('Nothing failed.').waitFor()
  await section('Deliveries of the last week').getByLabel('Show').selectOption('all')
})

await step('Link a group, and make it the home chat', async () => {
  const { id: group } = await onTelegram<{ id: number }>({ do: 'group', title: 'Trip to Lisbon', owner: ada })
  await botIs('member', group)
  await say('/link', group)
  await chats.getByText('Trip to Lisbon', { exact: true }).first().waitFor()
  const home = chats.getByRole('radio', { name: 'Home chat: Trip to Lisbon' })
  that('the group is not the home chat yet', !(await home.isChecked()))
  const saved = page.waitForResponse((response) => response.request().method() === 'PATCH')
  await home.press('Space')
  await saved
  await page.reload()
  await home.waitFor()
  that('the group is the home chat now', await home.isChecked())
  await chats.getByRole('link', { name: 'its conversation' }).click()
  await page.locator('.sidebar [aria-current]').getByText('Trip to Lisbon').waitFor()
  await page.goBack()
})

await step('On a phone, a tablet and a desktop, light and dark', async () => {
  for (const width of [390, 820, 1024, 1216, 1440]) {
    await page.setViewportSize({ width, height: 900 })
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      await nothingInTheWay(`${width} px, ${colorScheme}`)
      await shoot(`${width} ${colorScheme}`)
    }
  }
})

await step('Unlink', async () => {
  const unlink = chats.getByRole('button', { name: 'Unlink Trip to Lisbon' })
  await unlink.press('Enter')
  await page.getByRole('dialog').waitFor()
  await nothingInTheWay('The question before')
  await shoot('unlink')
  await page.keyboard.press('Escape')
  that('the dialog can be cancelled', await unlink.isVisible())
  await unlink.click()
  await page.getByRole('button', { name: 'Unlink', exact: true }).click()
  await unlink.waitFor({ state: 'detached' })
  await deliveries.getByText('Telegram, not linked any more').first().waitFor()
  await say('/unlink')
  await chats.getByText('No chat is linked yet.').waitFor()
})

/** Another tab of the same person, with its own clock. */
async function otherTab(work: (tab: Page) => Promise<void>): Promise<void> {
  const tab = await context.newPage()
  await work(tab)
  await tab.close()
}

await step('Wait until a code has expired', () =>
  otherTab(async (tab) => {
    await tab.clock.install()
    await tab.goto(`${origin}/connect?tab=channels`)
    await tab.getByRole('radio', { name: /^Telegram/ }).check()
    await tab.getByRole('button', { name: 'Get a code' }).click()
    const code = await tab.getByLabel('Code', { exact: true }).inputValue()
    await tab.clock.fastForward('59:30')
    const left = await tab.getByRole('timer').textContent()
    that('the remaining time is shown', /^0:\d\d$/.test(left ?? ''), left)
    await tab.clock.fastForward(40_000)
    await tab.getByText('The code has expired. Get a new one.').waitFor()
    that('the expired code is hidden', !(await tab.content()).includes(code))
    await tab.getByRole('button', { name: 'New code' }).click()
    that('a new code differs', (await tab.getByLabel('Code', { exact: true }).inputValue()) !== code)
  }),
)

await step('Open the page without any platform', () =>
  otherTab(async (tab) => {
    await tab.route('**/api/channels', (route) => route.fulfill({ json: { channels: [], platforms: [] } }))
    await tab.goto(`${origin}/connect?tab=channels`)
    await tab.getByText('There is no chat platform to link yet.').waitFor()
    that('no platform is offered', (await tab.getByRole('button', { name: 'Get a code' }).count()) === 0)
  }),
)

that('the browser reported no errors', complaints.length === 0, complaints)
await browser.close()
process.exitCode = finish()
