/**
 * The page of the Telegram emulator in a browser: people write with the keyboard, in chats and groups, and the bot's
 * messages appear. It needs no service. `SHOTS`, `CHROMIUM` as in main-job.ts.
 */
import type { Update } from '@grammyjs/types'
import { testTelegram } from '../../emulators/telegram/test/telegram.ts'
import { until } from '../until.ts'
import { startChecks } from './checks.ts'
import { patienceMs, startChromium } from './chromium.ts'
import { obstacles } from './page-facts.ts'

const ada = 1001
const there = await testTelegram()
const browser = await startChromium()
const page = await browser.newPage({ viewport: { width: 1000, height: 720 } })
page.setDefaultTimeout(patienceMs)
const checks = startChecks(page, process.env.SHOTS && `${process.env.SHOTS}/telegram`)
const { step, that } = checks

const complaints: string[] = []
page.on('pageerror', (error) => complaints.push(error.message))
page.on('console', (line) => line.type() === 'error' && complaints.push(line.text()))

const box = page.getByLabel('Message')
const message = (text: string) => page.getByRole('listitem').filter({ hasText: text })
const bot = (method: string, more: object) => there.api(method, { chat_id: ada, ...more })
const last = () => there.delivered.at(-1)?.update
/** The newest update for the bot, once it is of this kind. */
const heard = <K extends keyof Update>(kind: K) => until(() => last()?.[kind])

await step('A link with a code begins the chat', async () => {
  await page.goto(`${there.pageUrl}?start=K7MWQ4ZX`)
  that('the command is in the field', (await box.inputValue()) === '/start K7MWQ4ZX')
  await box.press('Enter')
  await message('/start K7MWQ4ZX').waitFor()
  await there.settled()
  that('the bot gets the command', last()?.message?.text === '/start K7MWQ4ZX', last())
})

await step('The bot’s actions are shown', async () => {
  await bot('sendChatAction', { action: 'typing' })
  await page.getByRole('status').filter({ hasText: 'is typing' }).waitFor()
  await bot('sendMessageDraft', { draft_id: 7, text: 'It grows', can_stop: true })
  await message('It grows').waitFor()
  const entities = [
    { type: 'bold', offset: 0, length: 4 },
    { type: 'text_link', offset: 5, length: 4, url: 'https://a.test/' },
  ]
  const keys = [[{ text: 'Yes', callback_data: 'y' }], [{ text: 'No', callback_data: 'n' }]]
  await bot('sendMessage', { text: 'Bold link <b>', entities, reply_markup: { inline_keyboard: keys } })
  await message('Bold link <b>').getByRole('link', { name: 'link' }).waitFor()
  that('the draft is removed', (await message('It grows').count()) === 0)
  await page.getByRole('button', { name: 'Yes', exact: true }).press('Enter')
  const query = await heard('callback_query')
  await there.api('answerCallbackQuery', { callback_query_id: query.id, text: 'Noted' })
  await page.getByRole('status').filter({ hasText: 'Noted' }).waitFor()
  that('the bot gets the press', query.data === 'y', query)
  await bot('editMessageText', { message_id: 2, text: 'Done' })
  await message('Done').filter({ hasText: 'edited' }).waitFor()
  that(
    'removed buttons cannot be pressed',
    (await page.getByRole('button', { name: 'Yes', exact: true }).count()) === 0,
  )
})

await step('A draft can be stopped', async () => {
  await bot('sendMessageDraft', { draft_id: 8, text: 'On and on', can_stop: true })
  await page.getByRole('button', { name: 'Stop', exact: true }).click()
  await message('On and on').waitFor({ state: 'detached' })
  const stopped = await heard('stopped_message_generation')
  that('the bot gets the stop', stopped.draft_id === 8, stopped)
})

await step('People edit, answer, send files and delete', async () => {
  await message('/start K7MWQ4ZX').getByRole('button', { name: 'Edit' }).click()
  await box.fill('/start again')
  await box.press('Enter')
  await message('/start again').filter({ hasText: 'edited' }).waitFor()
  await message('Done').getByRole('button', { name: 'Reply' }).click()
  await box.fill('Thanks')
  await box.press('Enter')
  await message('Thanks').filter({ hasText: 'Done' }).waitFor()
  const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
  await page
    .getByLabel('File')
    .setInputFiles({ name: 'dot.png', mimeType: 'image/png', buffer: Buffer.from(pixel, 'base64') })
  await box.fill('A picture')
  await page.getByRole('button', { name: 'Send' }).click()
  await message('A picture').getByRole('img', { name: 'dot.png' }).waitFor()
  await there.settled()
  that('the bot gets the file', last()?.message?.document?.file_name === 'dot.png', last())
  await message('Thanks').getByRole('button', { name: 'Delete' }).click()
  await message('Thanks').waitFor({ state: 'detached' })
})

await step('Several people are in groups, with the bot or without', async () => {
  await page.getByText('More').click()
  await page.getByLabel('Name of a new person').fill('Cy')
  await page.getByRole('button', { name: 'Add person' }).click()
  await page.getByLabel('You are').selectOption('Cy')
  await page.getByLabel('Name of a new group').fill('Club')
  await page.getByRole('button', { name: 'Add group' }).click()
  await page.getByRole('button', { name: 'Club' }).click()
  await page.getByRole('button', { name: 'Add the bot' }).click()
  await page.getByRole('button', { name: 'Throw the bot out' }).waitFor()
  await box.fill('@local_bot hello')
  await box.press('Enter')
  await message('@local_bot hello').waitFor()
  await there.settled()
  that('the bot gets its mention in the group', last()?.message?.entities?.[0]?.type === 'mention', last())
  that('other people’s chats are hidden', (await page.getByRole('button', { name: 'Lab' }).count()) === 0)
})

await step('The page is accessible', async () => {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    // The emulator has its own title.
    const found = (await obstacles(page)).filter((obstacle) => !obstacle.startsWith('title'))
    that(`no obstacle, ${colorScheme}`, found.length === 0, found)
    await checks.shoot(colorScheme)
  }
  that('the page reported no errors', complaints.length === 0, complaints)
})

await browser.close()
await there.stop()
process.exitCode = checks.finish()
