/**
 * Files in a browser: created, edited, uploaded, found, deleted, compared, restored; then those of a paused agent.
 * `BERTH_URL`, `SHOTS`, `CHROMIUM` as in main-job.ts. The job clears rate windows in the service's store
 * (`BERTH_DATA_DIR`).
 */
import { ask, call, hostedUser, origin, status, until, untilState } from '../service/client.ts'
import { forgetRates } from '../service/store.ts'
import { openAs } from './open-as.ts'
import { obstacles } from './page-facts.ts'

const machineMs = 60_000

const user = await hostedUser()
// A machine runs before its agent has written anything.
await until(
  'the first files',
  async () => JSON.stringify((await call('GET', '/instance/files', undefined, user)).body),
  (listed) => listed.includes('memory'),
)
const { browser, page, complaints, step, that, shoot, finish } = await openAs(user, origin, 'files', {
  acceptDownloads: true,
})
page.setDefaultTimeout(machineMs)
// No script in a file may run, whatever the file holds.
page.on('dialog', (dialog) => {
  // The page asks for confirmation before an unsaved text is left.
  if (dialog.type() === 'beforeunload') return void dialog.accept()
  complaints.push(`a dialog: ${dialog.message()}`)
  void dialog.dismiss()
})
const points = page.getByRole('region', { name: 'Restore points', exact: true })
const browserOf = page.getByRole('region', { name: 'On the volume' })
const button = (label: string) => page.getByRole('button', { name: label, exact: true })
const write = (path: string, body: object) =>
  call('PUT', `/instance/files/${path.split('/').map(encodeURIComponent).join('/')}`, body, user)

/** A PDF file with these pages that tries to run a script, open an address and start a program. */
function pdf(pages: string[], box = '0 0 400 300'): Buffer {
  const act = '<< /S /JavaScript /JS (app.alert\\("a PDF ran"\\); app.launchURL\\("https://example.com/js"\\)) >>'
  const link =
    '<< /Type /Annot /Subtype /Link /Rect [0 0 400 300] /A << /S /URI /URI (https://example.com/uri) >> /AA << /O << /S /URI /URI (https://example.com/open) >> >> >>'
  const kids = pages.map((_, index) => `${4 + index * 2} 0 R`).join(' ')
  const objects = [
    `<< /Type /Catalog /Pages 2 0 R /OpenAction ${act} /AA << /WC ${act} >> >>`,
    `<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    ...pages.flatMap((text, index) => {
      const stream = `BT /F1 36 Tf 40 140 Td (${text}) Tj ET`
      return [
        `<< /Type /Page /Parent 2 0 R /MediaBox [${box}] /Contents ${5 + index * 2} 0 R /Resources << /Font << /F1 3 0 R >> >> /Annots [${link}] /AA << /O ${act} >> >>`,
        `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
      ]
    }),
  ]
  let file = '%PDF-1.7\n'
  const offsets = objects.map((object, index) => {
    const at = file.length
    file += `${index + 1} 0 obj\n${object}\nendobj\n`
    return String(at).padStart(10, '0')
  })
  const start = file.length
  const table = offsets.map((at) => `${at} 00000 n \n`).join('')
  file += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`
  return Buffer.from(file, 'latin1')
}

await step('Create a file, edit it and save it', async () => {
  await page.goto(`${origin}/files`)
  await button('workspace/').click()
  await button('New file').click()
  await page.getByLabel('Name', { exact: true }).fill('tides.md')
  await button('Create').click()
  await page.getByRole('heading', { name: 'tides.md' }).waitFor()
  that('the file is in the URL', page.url().endsWith('?at=workspace%2Ftides.md'), page.url())
  await button('Edit').click()
  await page.getByLabel('Text of tides.md').fill('# Tides\n\n- high at **noon**\n')
  await page.reload()
  that('the input survives a reload', (await page.getByLabel('Text of tides.md').inputValue()).includes('noon'))
  await button('Save').click()
  await page.getByText('Saved.').waitFor()
  await page.getByText('high at').waitFor()
})

await step('Do not overwrite another writer’s changes', async () => {
  await button('Edit').click()
  await page.getByLabel('Text of tides.md').fill('mine')
  await write('workspace/tides.md', { text: 'theirs', replaces: 'anything' })
  await button('Save').click()
  await page.getByText('Somebody changed this file').waitFor()
  await button('Show the differences').click()
  await page.locator('.compare-removed', { hasText: 'theirs' }).waitFor()
  that('the text is still in the field', (await page.getByLabel('Text of tides.md').inputValue()) === 'mine')
  const found = await obstacles(page)
  that('the page has no obstacle for keyboard or screen reader', found.length === 0, found)
  await button('Save mine over it').click()
  await page.getByText('Saved.').waitFor()
})

await step('Upload files, small and large, and view hostile ones', async () => {
  const script = '<script>alert(1)</script><img src=x onerror=alert(2)>'
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="80" height="40" onload="alert(3)"><script>alert(4)</script><rect width="80" height="40" fill="teal"/></svg>`
  const files: [string, string | Buffer][] = [
    ['page.html', script],
    ['drawing.svg', svg],
    ['table.csv', `day,high\n1,"14:10, or later"\n2,${script}\n`],
    ['bad.md', `[click](javascript:alert(5)) ${script} ![x](https://example.com/x.png)`],
    ['large.txt', Buffer.alloc(200_000, 'tide ')],
    ['\u202Ertl\u05d0.txt', 'abc'],
  ]
  await page
    .locator('input[type=file]')
    .setInputFiles(
      files.map(([name, content]) => ({ name, mimeType: 'application/octet-stream', buffer: Buffer.from(content) })),
    )
  await until(
    'the uploads',
    () => page.getByText('Uploaded').count(),
    (count) => count === files.length,
  )
  const requests: string[] = []
  page.on('request', (request) => requests.push(request.url()))
  for (const [name] of files.slice(0, 5)) {
    await browserOf.getByRole('button', { name, exact: true }).click()
    await page.getByRole('heading', { name }).waitFor()
    await page.locator('.file-view .file-text, .file-view img, .file-view .prose').first().waitFor()
    await shoot(`preview ${name}`)
  }
  const elsewhere = requests.filter(
    (url) => !url.startsWith(origin) && !/^(blob|data):/.test(url) && !url.includes('127.0.0.1'),
  )
  that('no other host is contacted', elsewhere.length === 0, elsewhere)
})

await step('View PDF files, whose actions do not run', async () => {
  const files: [string, Buffer][] = [
    ['tides.pdf', pdf(['High at noon', 'Low at six', ...Array.from({ length: 6 }, (_, page) => `Page ${page + 3}`)])],
    ['huge.pdf', pdf(['Far away'], '0 0 2000000 14400')],
    ['broken.pdf', Buffer.from('%PDF-1.7\nnothing of the kind')],
    ['text.pdf', Buffer.from('<script>alert(1)</script>')],
  ]
  await page.goto(`${origin}/files?at=workspace%2F`)
  await page
    .locator('input[type=file]')
    .setInputFiles(files.map(([name, buffer]) => ({ name, mimeType: 'application/pdf', buffer })))
  await until(
    'the uploads',
    () => page.getByText('Uploaded').count(),
    (count) => count === files.length,
  )
  const requests: string[] = []
  page.on('request', (request) => requests.push(request.url()))
  await page.goto(`${origin}/files?at=workspace%2Ftides.pdf`)
  const drawn = page.locator('.pdf-page canvas')
  await page.getByText('High at noon').waitFor({ state: 'attached' })
  that('the first pages are drawn', (await drawn.count()) === 5, await drawn.count())
  const ink = await drawn.first().evaluate((canvas: HTMLCanvasElement) => {
    const { data } = canvas.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height) ?? { data: [] }
    let dark = 0
    for (let at = 0; at < data.length; at += 4) if ((data[at] ?? 255) < 128) dark++
    return dark
  })
  that('the first page is not blank', ink > 500, ink)
  await page.getByRole('button', { name: /^Show more pages/ }).click()
  await page.getByText('Page 8', { exact: true }).waitFor({ state: 'attached' })
  await shoot('pdf')
  await page.goto(`${origin}/files?at=workspace%2Fhuge.pdf`)
  await drawn.first().waitFor()
  const size = await drawn.first().evaluate(({ width, height }: HTMLCanvasElement) => ({ width, height }))
  that('a huge page is a small picture', size.width <= 1_600 && size.height <= 4_000, size)
  for (const name of ['broken.pdf', 'text.pdf']) {
    await page.goto(`${origin}/files?at=workspace%2F${name}`)
    await page.getByText('It cannot be shown as a PDF file').waitFor()
  }
  const elsewhere = requests.filter((url) => !url.startsWith(origin) && !/^(blob|data):/.test(url))
  that('no other host is contacted', elsewhere.length === 0, elsewhere)
  const found = await obstacles(page)
  that('the page has no obstacle for keyboard or screen reader', found.length === 0, found)
})

await step('Move through the list by keyboard, and return with Back', async () => {
  await page.goto(`${origin}/files`)
  await browserOf.locator('[data-name]').first().focus()
  await page.keyboard.press('End')
  await page.keyboard.press('ArrowRight')
  await browserOf.getByRole('button', { name: 'tides.md' }).waitFor()
  await page.goBack()
  await browserOf.getByRole('button', { name: 'memory/' }).waitFor()
})

await forgetRates()
await step('Find a file by a part of its name', async () => {
  await page.getByLabel('Search by name').fill('TIDE')
  await page.getByRole('search').getByRole('button', { name: 'tides.md' }).click()
  await page.getByRole('heading', { name: 'tides.md' }).waitFor()
})

await step('Delete a file, compare, and restore it', async () => {
  await points.getByRole('button', { name: 'Create one now' }).click()
  const kept = points.getByRole('listitem').filter({ hasText: /Asked for · \d+ files?/ })
  await kept.waitFor()
  await page.goto(`${origin}/files?at=workspace%2Ftides.md`)
  await button('Delete').click()
  const sure = page.getByRole('alertdialog')
  await sure.getByText('You can restore').waitFor()
  await shoot('delete')
  await sure.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('heading', { name: 'tides.md' }).waitFor({ state: 'detached' })
  await kept.getByRole('button', { name: 'Compare' }).click()
  const row = points.locator('.comparison').getByRole('listitem').filter({ hasText: 'workspace/tides.md' })
  await row.getByRole('button', { name: 'Differences' }).click()
  await row.locator('.compare-removed', { hasText: 'mine' }).waitFor()
  await shoot('compare')
  await row.getByRole('button', { name: 'Bring back' }).click()
  await browserOf.getByRole('button', { name: 'tides.md' }).waitFor()
})

await step('Undo the changes of a reply', async () => {
  const change = { path: 'tides.md', content: 'the agent’s' }
  const reply = await ask(user, `/tool write_file ${JSON.stringify(change)}`)
  await page.goto(`${origin}/files?undo=${reply.inReplyTo}`)
  await page.getByText('Changed · Will be taken back').waitFor()
  await shoot('undo')
  await button('Take it back').click()
  await page.getByText('files are as they were').waitFor()
  const { body } = await call('GET', '/instance/file-search?text=tides.md', undefined, user)
  that('the file has its former size', body.entries?.[0]?.size === 'mine'.length, body)
})

for (const width of [390, 820, 1440])
  for (const colorScheme of ['light', 'dark'] as const)
    await step(`View the page at ${width} pixels, ${colorScheme}`, async () => {
      await page.emulateMedia({ colorScheme })
      await page.setViewportSize({ width, height: 900 })
      await forgetRates()
      await page.goto(`${origin}/files?at=workspace%2Ftable.csv`)
      await page.getByRole('cell', { name: '14:10, or later' }).waitFor()
      const found = await obstacles(page)
      that('the page has no obstacle for keyboard or screen reader', found.length === 0, found)
      await shoot(`${width} ${colorScheme}`)
    })
await page.emulateMedia({ colorScheme: 'light' })
await page.setViewportSize({ width: 1280, height: 800 })

await call('POST', '/instance/pause', {}, user)
await untilState(user, 'paused')

await step('View the files of a paused agent', async () => {
  await page.goto(`${origin}/files`)
  await points.getByText('Your agent is paused and stays so').waitFor()
  await browserOf.getByRole('button', { name: 'memory/' }).waitFor()
  const found = await obstacles(page)
  that('the page has no obstacle for keyboard or screen reader', found.length === 0, found)
})

await step('Write a file while the agent is paused', async () => {
  await page.goto(`${origin}/files?at=workspace%2Ftides.md`)
  await button('Edit').click()
  await page.getByLabel('Text of tides.md').fill('written while it slept')
  await button('Save').click()
  await page.getByText('Saved.').waitFor()
})

await step('Create a restore point and restore it', async () => {
  await points.getByRole('button', { name: 'Create one now' }).click()
  const kept = points
    .getByRole('listitem')
    .filter({ hasText: /Asked for · \d+ files?/ })
    .first()
  await until(
    'two points',
    () => points.getByText(/Asked for · \d+ files?/).count(),
    (count) => count === 2,
  )
  await kept.getByRole('button', { name: 'Go back' }).click()
  await kept.getByRole('button', { name: 'Replace everything' }).click()
  await points.getByText(/files are back/).waitFor()
})

await step('Export all files', async () => {
  await page.getByRole('button', { name: 'Make an archive' }).click()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Download the archive' }).click(),
  ])
  that('the export is downloaded', download.suggestedFilename() === 'volume.tar.gz', download.suggestedFilename())
})

const { instance } = await status(user)
that('the agent is still paused', instance.state === 'paused' && instance.reason === 'user', instance)
that('the browser reported no errors', complaints.length === 0, complaints)
await browser.close()
process.exitCode = finish()
