/** The files of an agent that is paused, in a browser: a volume worker reads them. `BERTH_URL`, `SHOTS`, `CHROMIUM` as in main-job.ts. */
import { call, hostedUser, origin, status, until, untilState } from '../service/client.ts'
import { startChecks } from './checks.ts'
import { startChromium } from './chromium.ts'
import { obstacles } from './page-facts.ts'

const machineMs = 60_000

const user = await hostedUser()
// A machine runs before its agent has written anything.
await until(
  'the first files',
  async () => JSON.stringify((await call('GET', '/instance/files', undefined, user)).body),
  (listed) => listed.includes('memory'),
)
await call('POST', '/instance/pause', {}, user)
await untilState(user, 'paused')
const [name = '', value = ''] = user.cookie.split('=')

const browser = await startChromium()
const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, acceptDownloads: true })
await context.addCookies([{ name, value, url: origin }])
const page = await context.newPage()
page.setDefaultTimeout(machineMs)
const { step, that, finish } = startChecks(page, process.env.SHOTS && `${process.env.SHOTS}/files`)

const complaints: string[] = []
page.on('pageerror', (error) => complaints.push(error.message))
const points = page.getByRole('region', { name: 'Restore points', exact: true })

await step('Look at the files of a paused agent', async () => {
  await page.goto(`${origin}/files`)
  await points.getByText('Your agent is paused and stays so').waitFor()
  await page.getByRole('button', { name: 'memory/' }).waitFor()
  const found = await obstacles(page)
  that('nothing is in a keyboard’s or screen reader’s way', found.length === 0, found)
})

await step('Keep a restore point and go back to it', async () => {
  await points.getByRole('button', { name: 'Keep one now' }).click()
  const kept = points.getByRole('listitem').filter({ hasText: /Asked for · \d+ files?/ })
  await kept.getByRole('button', { name: 'Go back' }).click()
  await kept.getByRole('button', { name: 'Replace everything' }).click()
  await points.getByText(/files are back/).waitFor()
})

await step('Take everything along', async () => {
  await page.getByRole('button', { name: 'Make an archive' }).click()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Download the archive' }).click(),
  ])
  that('it comes as a file', download.suggestedFilename() === 'volume.tar.gz', download.suggestedFilename())
})

const { instance } = await status(user)
that('the agent is paused as before', instance.state === 'paused' && instance.reason === 'user', instance)
that('the browser had nothing to complain about', complaints.length === 0, complaints)
await browser.close()
process.exitCode = finish()
