/** The list of conversations next to the chat. `BERTH_URL`, `SHOTS`, `CHROMIUM` as in main-job.ts. */
import { call, hostedUser, origin } from '../service/client.ts'
import { forgetRates } from '../service/store.ts'
import { violations } from './axe.ts'
import { openAs } from './open-as.ts'
import { obstacles } from './page-facts.ts'

const user = await hostedUser(500)
const { browser, page, complaints, step, that, shoot, finish } = await openAs(user, origin, 'sidebar')
const log = page.getByRole('log')
const list = page.getByRole('navigation', { name: 'Conversations' })
const field = page.getByLabel('Message to your agent')
const search = page.getByLabel('Search titles and messages')
const titles = () => list.locator('.conversation-title').allTextContents()

const act = async (title: string, action: string) => {
  await page.getByRole('button', { name: `Actions for ${title}`, exact: true }).click()
  await page.getByRole('button', { name: action, exact: true }).click()
}
const start = async (title?: string): Promise<string> =>
  (await call('POST', '/chat/conversations', title === undefined ? {} : { title }, user)).body.conversation.id

/** Titles that broke lists of other products. */
const odd = [
  'مرحبا بالعالم: كيف حال الطقس في لشبونة اليوم وغدا وبعد غد؟',
  `${'Pneumonoultramicroscopicsilicovolcanoconiosis'.repeat(2)} and more words`,
  '<img src=x onerror=alert(1)> **bold** `code`',
  '🇵🇹 👨‍👩‍👧‍👦 Z͑ͫ̓ͪ̂ͫ̽͏̴̙̤̞͉͚̯̞̠͍A̴̵̜̰͔ͫ͗͢L',
]

await step('The sidebar lists conversations with odd titles', async () => {
  for (const title of odd) await start(title)
  await start()
  await page.goto(origin)
  await list.getByRole('link', { name: 'New conversation' }).waitFor()
  const seen = await titles()
  that(
    'the main conversation is first, and none has an empty line',
    seen[0] === 'Main' && seen.every((t) => t !== ''),
    seen,
  )
  that('it has a line for each', seen.length === odd.length + 2, seen)
  const widths = await list
    .locator('.conversation-line')
    .evaluateAll((lines) => lines.map((line) => line.getBoundingClientRect()).map(({ left, right }) => [left, right]))
  that(
    'no line is wider than the sidebar',
    widths.every(([left = 0, right = 0]) => left >= 0 && right <= 288),
    widths,
  )
  const found = [...(await obstacles(page)), ...(await violations(page))]
  that('the page has no obstacle for keyboard or screen reader', found.length === 0, found)
})

await step('Start a conversation, and see its title at once', async () => {
  await page.getByRole('button', { name: 'New conversation', exact: true }).click()
  await page.getByRole('heading', { name: 'A conversation of its own' }).waitFor()
  await field.fill('When is Lisbon warm?')
  await field.press('Enter')
  await log.getByText('When is Lisbon warm?').nth(1).waitFor()
  await list.locator('[aria-current]').getByText('When is Lisbon warm?').waitFor()
})

let lisbon = ''
await step('A reply elsewhere is marked until it is opened, also after a reload', async () => {
  lisbon = new URL(page.url()).searchParams.get('conversation') ?? ''
  await list.getByRole('link', { name: 'Main' }).click()
  await page.getByText('Your agent is ready').waitFor()
  await call('POST', '/chat/messages', { text: 'And in May?', conversation: lisbon }, user)
  const marked = list.getByRole('link', { name: /^When is Lisbon warm\?.*New/ })
  await marked.waitFor()
  await page.reload()
  await marked.waitFor()
  const read = page.waitForResponse(
    (response) => response.request().method() === 'PATCH' && response.url().includes('/conversations/cnv_'),
  )
  await marked.click()
  await log.getByText('And in May?').nth(1).waitFor()
  await read
  await list.getByRole('link', { name: 'Main' }).click()
  await page.getByText('Your agent is ready').waitFor()
  that('the mark is gone', (await marked.count()) === 0)
  await page.reload()
  await list.getByRole('link', { name: /^When is Lisbon warm/ }).waitFor()
  that('the mark is gone after a reload', (await marked.count()) === 0)
  await act('When is Lisbon warm?', 'Mark as unread')
  await marked.waitFor()
})

await step('Rename, pin, archive and restore', async () => {
  await act('When is Lisbon warm?', 'Rename')
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Title').fill('Trip to Lisbon')
  await shoot('Rename')
  await dialog.getByRole('button', { name: 'Rename' }).click()
  await list.getByRole('link', { name: /^Trip to Lisbon/ }).waitFor()
  await act(odd[2] ?? '', 'Pin')
  const pinned = list.getByRole('list', { name: 'Pinned' })
  await pinned.getByText(odd[2] ?? '').waitFor()
  await page.reload()
  await pinned.getByText(odd[2] ?? '').waitFor()
  await act('Trip to Lisbon', 'Archive')
  await list.getByRole('link', { name: /^Trip to Lisbon/ }).waitFor({ state: 'hidden' })
  await list.getByText('Archived').click()
  await act('Trip to Lisbon', 'Restore')
  await list.getByText('Archived').waitFor({ state: 'detached' })
  await list.getByRole('link', { name: /^Trip to Lisbon/ }).waitFor()
  await page.getByRole('button', { name: 'Actions for Trip to Lisbon' }).press('Enter')
  await page.keyboard.press('Escape')
  const focused = await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))
  that('the menu gives the focus back to its button', focused === 'Actions for Trip to Lisbon', focused)
})

await step('Delete a conversation that is open, with the keyboard', async () => {
  const id = await start('Tide tables')
  await call('POST', '/chat/messages', { text: 'When is high water?', conversation: id }, user)
  await page.goto(`${origin}/?conversation=${id}`)
  await log.getByText('When is high water?').nth(1).waitFor()
  await field.fill('A draft')
  const other = await page.context().newPage()
  await other.goto(`${origin}/?conversation=${id}`)
  await other.getByRole('log').getByText('When is high water?').first().waitFor()
  const dialog = page.getByRole('dialog', { name: 'Delete “Tide tables”?' })
  const ask = async () => {
    await page.getByRole('button', { name: 'Actions for Tide tables' }).press('Enter')
    await page.getByRole('button', { name: 'Delete', exact: true }).press('Enter')
    await dialog.waitFor()
  }
  await ask()
  const found = [...(await obstacles(page)), ...(await violations(page))]
  that('the dialog has no obstacle for keyboard or screen reader', found.length === 0, found)
  that('it says what stays', /notes.*volume.*costs stay/.test((await dialog.textContent()) ?? ''))
  await shoot('Delete')
  await page.keyboard.press('Escape')
  await page.locator('dialog').waitFor({ state: 'detached' })
  await list.getByRole('link', { name: /^Tide tables/ }).waitFor()
  await ask()
  await dialog.getByRole('button', { name: 'Delete' }).press('Enter')
  await page.getByText('Your agent is ready').waitFor()
  that('the main conversation is open', new URL(page.url()).search === '', page.url())
  that('its line is gone', (await list.getByRole('link', { name: /^Tide tables/ }).count()) === 0, await titles())
  that('its text is gone', (await page.getByText('When is high water?').count()) === 0)
  const focused = await page.evaluate(() => document.activeElement?.id)
  that('the focus is at the page', focused === 'main', focused)
  await other.getByText('Your agent is ready').waitFor()
  that('another tab follows', new URL(other.url()).search === '', other.url())
  await other.close()
  await page.goto(`${origin}/?conversation=cnv_${'0'.repeat(26)}`)
  await page.getByText('There is no such conversation').waitFor()
  await shoot('Deleted')
  await page.getByRole('link', { name: 'Open the main conversation' }).click()
  await page.getByText('Your agent is ready').waitFor()
  const kept = await page.evaluate(() => JSON.stringify(localStorage))
  that('no draft is kept', !kept.includes('A draft'), kept)
})

await step('Delete a conversation that was deleted elsewhere', async () => {
  const id = await start('Sunsets')
  await act('Sunsets', 'Delete')
  const deleted = await call('DELETE', `/chat/conversations/${id}`, undefined, user)
  that('the service deletes it once', deleted.status === 200, deleted.body)
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await dialog.waitFor({ state: 'detached' })
  await list.getByRole('link', { name: /^Sunsets/ }).waitFor({ state: 'detached' })
})

await step('Ctrl-K finds conversations and files, and ? lists the keys', async () => {
  const written = await call('PUT', '/instance/files/tide-table.md', { replaces: 'nothing', text: 'x' }, user)
  that('a file is written', written.status < 300, written.body)
  await page.goto(origin)
  await list.waitFor()
  const palette = page.getByRole('combobox')
  await page.keyboard.press('Control+K')
  await palette.fill('lisbon trip')
  await page.getByRole('option', { name: /^Trip to Lisbon/ }).click()
  await log.getByText('And in May?').nth(1).waitFor()
  await page.keyboard.press('Control+K')
  await palette.fill('tide-ta')
  await page.getByRole('option', { name: /^tide-table.md/ }).waitFor()
  const found = [...(await obstacles(page)), ...(await violations(page))]
  that('the page has no obstacle for keyboard or screen reader', found.length === 0, found)
  await shoot('Palette')
  await page.getByRole('option', { name: /^tide-table.md/ }).click()
  await page.waitForURL(/at=tide-table.md/)
  await page.goto(origin)
  await field.press('?')
  that('a question mark can be typed', (await field.inputValue()) === '?')
  await field.fill('')
  await list.getByRole('link', { name: 'Main' }).press('?')
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
  const inDialog = await violations(page)
  that('axe finds nothing in the dialog', inDialog.length === 0, inDialog)
  await shoot('Keys')
  await page.keyboard.press('Escape')
})

await step('Choose a model for a conversation and for all', async () => {
  const { models } = (await call('GET', '/models')).body
  const id = models.find(({ formats }: { formats: string[] }) => !formats.includes('openai-embeddings')).id
  const button = page.getByRole('button', { name: /^Model:/ })
  await list.getByRole('link', { name: /^Trip to Lisbon/ }).click()
  await log.getByText('And in May?').nth(1).waitFor()
  await page.getByRole('button', { name: 'Model: Default model' }).click()
  const choice = page.getByRole('list', { name: 'Models' }).getByRole('button', { name: new RegExp(`^${id}`) })
  const text = (await choice.textContent()) ?? ''
  that('the menu shows the price', /\$[\d.]+ in · \$[\d.]+ out/.test(text), text)
  const found = [...(await obstacles(page)), ...(await violations(page))]
  that('the page has no obstacle for keyboard or screen reader', found.length === 0, found)
  await shoot('Models')
  await choice.click()
  await page.getByRole('button', { name: `Model: ${id}` }).waitFor()
  await page.reload()
  await page.getByRole('button', { name: `Model: ${id}` }).waitFor()
  await field.fill('Which model are you?')
  await field.press('Enter')
  await log.getByText('Which model are you?').first().waitFor()
  await list.getByRole('link', { name: 'Main' }).click()
  await page.getByRole('button', { name: 'Model: Default model' }).waitFor()
  await button.click()
  await page.getByLabel('Use it in').selectOption('All conversations')
  await choice.click()
  await page.getByRole('button', { name: `Model: ${id}` }).waitFor()
  const { instance } = (await call('GET', '/instance/status', undefined, user)).body
  that('the instance has it as its default', instance.model === id, instance)
})

await step('A removed model is named', async () => {
  await page.route('**/api/chat/conversations?**', async (route) => {
    const answer = await route.fetch()
    await route.fulfill({ json: { ...(await answer.json()), main: { unread: false, model: 'gone/model-1' } } })
  })
  await page.goto(origin)
  await page.getByText(/gone\/model-1 is no longer offered/).waitFor()
  await shoot('Removed model')
  await page.unroute('**/api/chat/conversations?**')
  await page.getByRole('button', { name: 'OK, use that' }).click()
  await page.getByText(/is no longer offered/).waitFor({ state: 'detached' })
})

await step('A page explains how to set up a model', async () => {
  await page.goto(`${origin}/models`)
  await page.getByRole('heading', { name: 'Set up a model' }).waitFor()
  const found = [...(await obstacles(page)), ...(await violations(page))]
  that('the page has no obstacle for keyboard or screen reader', found.length === 0, found)
})

await step('500 conversations', async () => {
  // The service limits writes, so the browser gets a made-up list.
  const at = new Date().toISOString()
  const all = Array.from({ length: 500 }, (_, index) => ({
    id: `cnv_01KAHB2N3P4Q5R6S7T8V9W${String(index).padStart(4, '0')}`,
    title:
      index % 50 === 0
        ? null
        : index === 499
          ? 'Ägypten'
          : `Conversation ${index} ${'about tides '.repeat(index % 9)}`.trim(),
    startedBy: 'user',
    archived: index % 100 === 7,
    pinned: index === 498,
    unread: index === 3,
    model: null,
    createdAt: at,
    lastMessageAt: new Date(Date.parse(at) - index * 3_600_000).toISOString(),
  }))
  await page.route('**/api/chat/conversations?**', async (route) => {
    const from = Number(new URL(route.request().url()).searchParams.get('cursor') ?? 0)
    const next = from + 100 < all.length ? String(from + 100) : null
    const page = {
      conversations: all.slice(from, from + 100),
      nextCursor: next,
      ...(from === 0 && { main: { unread: true, model: null } }),
    }
    await route.fulfill({ json: page })
  })
  await page.goto(`${origin}/?conversation=${lisbon}`)
  await list.getByText('Conversation 498').waitFor()
  const shown = await list.getByRole('link').count()
  that('a keyboard passes at most fifty lines and the pinned one', shown < 60, shown)
  await search.fill('agypten')
  await list.getByRole('link', { name: 'Ägypten' }).waitFor()
  that('only titles that fit are listed', (await list.getByRole('link').count()) === 1, await titles())
  await search.fill('')
  await list.getByRole('button', { name: 'Show older ones' }).click()
  that('the button shows more', (await list.getByRole('link').count()) > 100)
  const found = [...(await obstacles(page)), ...(await violations(page))]
  that('the page has no obstacle for keyboard or screen reader', found.length === 0, found)
  await page.emulateMedia({ colorScheme: 'dark' })
  const dark = await violations(page)
  that('nor in the dark', dark.length === 0, dark)
  await shoot('Dark')
  await page.unroute('**/api/chat/conversations?**')
})

// The steps above wrote more in a minute than a person does.
await forgetRates()
await step('On a phone the same list is in the menu', async () => {
  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto(origin)
  await page.getByRole('button', { name: /^Conversation:/ }).click()
  await list.getByRole('link', { name: /^Trip to Lisbon/ }).waitFor()
  await page.getByRole('button', { name: 'Actions for Trip to Lisbon' }).click()
  const found = [...(await obstacles(page)), ...(await violations(page))]
  that('the page has no obstacle for keyboard or screen reader', found.length === 0, found)
  await shoot('Phone')
  await page.getByRole('button', { name: 'Rename', exact: true }).click()
  await page.getByRole('dialog').getByLabel('Title').fill('Lisbon')
  await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: /^Conversation:/ }).click()
  await list.getByRole('link', { name: /^Lisbon/ }).waitFor()
})

that('the browser reported no errors', complaints.length === 0, complaints)
await browser.close()
process.exitCode = finish()
