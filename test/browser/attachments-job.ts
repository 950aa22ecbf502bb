/**
 * Attachments in a browser: chosen, dropped, pasted, refused, shown, saved. `BERTH_URL`, `SHOTS`, `CHROMIUM` as in
 * main-job.ts.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { call, hostedUser, origin, until, untilState } from '../service/client.ts'
import { openAs } from './open-as.ts'
import { obstacles } from './page-facts.ts'

const user = await hostedUser()
await untilState(user, 'running')
const { browser, page, complaints, step, that, shoot, finish } = await openAs(user, origin, 'attachments', {
  acceptDownloads: true,
})
page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))

const picture = await drawing()
const table = { name: 'tides.csv', mimeType: 'text/csv', buffer: Buffer.from('day,high\n1,14:10\n') }
const words = page.getByLabel('Message to your agent')
const drafts = page.getByRole('list', { name: 'Files to send' })
const attached = page.getByRole('list', { name: 'Attached files' })
const send = page.getByRole('button', { name: 'Send', exact: true })

/** A valid picture. */
async function drawing() {
  const pixel = readFileSync(join(import.meta.dirname, '../../proofs/clients/models/pixel.png'))
  const canvas = await page.evaluate(() => {
    const made = Object.assign(document.createElement('canvas'), { width: 320, height: 200 })
    const on = made.getContext('2d')
    if (on) {
      on.fillStyle = '#2a6f97'
      on.fillRect(0, 0, 320, 200)
      on.fillStyle = '#f4d58d'
      on.fillRect(40, 120, 240, 40)
    }
    return made.toDataURL('image/png').split(',')[1]
  })
  return { name: 'harbour.png', mimeType: 'image/png', buffer: canvas ? Buffer.from(canvas, 'base64') : pixel }
}

interface Made {
  name: string
  type: string
  base64: string
}

/** Adds files by an event of the browser, as a drop or a paste does. */
const bring = (kind: 'dragover' | 'drop' | 'paste', files: Made[]) =>
  page.evaluate(
    ({ kind, files }) => {
      const dataTransfer = new DataTransfer()
      for (const { name, type, base64 } of files) {
        const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
        dataTransfer.items.add(new File([bytes], name, { type }))
      }
      const fixed = { bubbles: true, cancelable: true }
      const event =
        kind === 'paste'
          ? new ClipboardEvent(kind, { ...fixed, clipboardData: dataTransfer })
          : new DragEvent(kind, { ...fixed, dataTransfer })
      document.querySelector('#message')?.dispatchEvent(event)
    },
    { kind, files },
  )
const made = (file: { name: string; mimeType: string; buffer: Buffer }): Made => ({
  name: file.name,
  type: file.mimeType,
  base64: file.buffer.toString('base64'),
})

const nothingInTheWay = async (what: string) => {
  const found = await obstacles(page)
  that(`${what}: no obstacle for keyboard or screen reader`, found.length === 0, found)
}

await step('Attach a picture with the button, by keyboard', async () => {
  // Awaited before the click: the browser hands over the file chooser later than it handles a key.
  const chosen = page.waitForEvent('filechooser')
  await page.goto(origin)
  await words.waitFor()
  await page.getByRole('button', { name: 'Attach files' }).focus()
  await page.keyboard.press('Enter')
  await (await chosen).setFiles([picture])
  await page.getByRole('status').filter({ hasText: 'harbour.png is attached.' }).waitFor({ state: 'attached' })
  that('the picture can be sent without text', await send.isEnabled())
  await nothingInTheWay('A file to send')
})

await step('Drop a file, and paste one', async () => {
  await bring('dragover', [made(table)])
  await page.getByText('Drop files here to attach them.').waitFor()
  await bring('drop', [made(table)])
  await bring('paste', [{ ...made(picture), name: 'image.png' }])
  await page.getByRole('status').filter({ hasText: 'image.png is attached.' }).waitFor({ state: 'attached' })
  await page.getByRole('status').filter({ hasText: 'tides.csv is attached.' }).waitFor({ state: 'attached' })
  that('three files are attached', (await drafts.getByRole('listitem').count()) === 3)
})

await step('Have some files refused, and remove one', async () => {
  await bring('drop', [{ name: 'empty.txt', type: 'text/plain', base64: '' }])
  await drafts.getByText('It is empty, or a folder.').waitFor()
  const large = { name: 'film.mp4', mimeType: 'video/mp4', buffer: Buffer.alloc(20_000_001) }
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    page.getByRole('button', { name: 'Attach files' }).click(),
  ])
  await chooser.setFiles([large])
  await drafts.getByText('It is larger than 20.0 MB.').waitFor()
  await shoot('refused')
  await page.getByRole('button', { name: 'Remove image.png' }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Remove empty.txt' }).click()
  await page.getByRole('button', { name: 'Remove film.mp4' }).click()
  that('two files are attached', (await drafts.getByRole('listitem').count()) === 2)
})

await step('Send the files', async () => {
  await words.fill('What do you see?')
  await words.press('Enter')
  const image = attached.getByRole('img', { name: 'harbour.png' })
  await image.waitFor()
  await until(
    'the picture',
    () => image.evaluate((shown: HTMLImageElement) => shown.naturalWidth),
    (width) => width > 1,
  )
  that('no file waits to be sent', (await drafts.count()) === 0)
  that(
    'the picture is served from another origin',
    !(await image.getAttribute('src'))?.startsWith(origin),
    await image.getAttribute('src'),
  )
  await page.getByRole('heading', { name: 'Agent said' }).first().waitFor({ state: 'attached', timeout: 60_000 })
  await nothingInTheWay('A conversation with files')
  await shoot('light')
  await page.emulateMedia({ colorScheme: 'dark' })
  await shoot('dark')
  await page.setViewportSize({ width: 390, height: 800 })
  await shoot('narrow')
  await page.setViewportSize({ width: 1280, height: 800 })
})

await step('Edit a message: its new version has the same files', async () => {
  await page.getByRole('log').getByRole('button', { name: 'Edit' }).first().click()
  const editor = page.getByLabel('New version of your message')
  that('the text of the message is in the field', (await editor.inputValue()) === 'What do you see?')
  await editor.fill('Look again.')
  await editor.press('Control+Enter')
  await page.getByText('Look again.').waitFor()
  const { body } = await until(
    'the message',
    () => call('GET', '/chat/messages?limit=10', undefined, user),
    (answer) => JSON.stringify(answer.body).includes('Look again.'),
  )
  type Sent = { role: string; text: string; attachments?: { id: string; name: string; bytes: number }[] }
  const all = (body.messages as Sent[]).filter(({ role }) => role === 'user')
  const namesOf = (text: string) =>
    all.find((message) => message.text === text)?.attachments?.map(({ name, bytes }) => `${name} ${bytes}`)
  that(
    'the new version has the same files',
    JSON.stringify(namesOf('Look again.')) === JSON.stringify(namesOf('What do you see?')),
    all,
  )
})

await step('Save a file', async () => {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Save tides.csv' }).first().click(),
  ])
  that('the download has the file’s name', download.suggestedFilename() === 'tides.csv', download.suggestedFilename())
  that('the download has the file’s bytes', readFileSync(await download.path()).equals(table.buffer))
  that('the page stays open', page.url().startsWith(origin), page.url())
})

await step('Find the files again, in the chat and on the machine', async () => {
  await page.reload()
  await attached.getByRole('img', { name: 'harbour.png' }).first().waitFor()
  const listed = await call('GET', '/instance/files?path=inbox', undefined, user)
  that('the machine has an inbox', JSON.stringify(listed.body).includes('msg_'), listed.body)
})

await step('Send an HTML page, which can only be downloaded', async () => {
  const html = { name: 'page.html', mimeType: 'text/html', buffer: Buffer.from('<script>alert(1)</script>') }
  await bring('drop', [made(html)])
  await page.getByRole('status').filter({ hasText: 'page.html is attached.' }).waitFor({ state: 'attached' })
  await send.click()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Save page.html' }).click(),
  ])
  that('the page is downloaded', download.suggestedFilename() === 'page.html', download.suggestedFilename())
})

that('the browser reported no errors', complaints.length === 0, complaints)
await browser.close()
process.exitCode = finish()
