/** Webhooks and secrets in a browser; the curl command of the page is run as it stands there. `BERTH_URL`, `SHOTS`, `CHROMIUM` as in main-job.ts. */
import { execFileSync } from 'node:child_process'
import { call, hostedUser, origin } from '../service/client.ts'
import { startChecks } from './checks.ts'
import { startChromium } from './chromium.ts'
import { obstacles } from './page-facts.ts'

const user = await hostedUser(500)
const [name = '', value = ''] = user.cookie.split('=')

const browser = await startChromium()
const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
await context.addCookies([{ name, value, url: origin }])
const page = await context.newPage()
page.setDefaultTimeout(30_000)
const { step, that, finish } = startChecks(page, process.env.SHOTS && `${process.env.SHOTS}/outside`)

const complaints: string[] = []
page.on('pageerror', (error) => complaints.push(error.message))
const hooks = page.getByRole('region', { name: 'Webhooks' })
const secrets = page.getByRole('region', { name: 'Secrets the agent cannot read' })

await step('Make a webhook and send to it', async () => {
  await page.goto(`${origin}/instance`)
  await hooks.getByText('No webhook yet.').waitFor()
  await hooks.getByLabel('Webhook’s name').fill('Failed builds')
  await hooks.getByLabel('What the agent does with what is sent').fill('Say what failed.')
  await hooks.getByRole('button', { name: 'Add webhook' }).click()
  const line = await hooks.getByLabel('Webhook curl command', { exact: true }).inputValue()
  const said = execFileSync('sh', ['-c', `${line} -sS`], { encoding: 'utf8' })
  that('the curl command works as it stands there', said === '{"received":true}', said)
  const found = await obstacles(page)
  that('nothing is in a keyboard’s or screen reader’s way', found.length === 0, found)
})

await step('Replace its secret, and delete it', async () => {
  const before = await hooks.getByLabel('Webhook secret', { exact: true }).inputValue()
  await hooks.getByRole('button', { name: 'I have stored it' }).click()
  await page.reload()
  await hooks.getByText(/asked$/).waitFor()
  that('the secret is not shown again', !(await page.content()).includes(before))
  await hooks.getByRole('button', { name: 'New secret for Failed builds' }).click()
  const after = await hooks.getByLabel('Webhook secret', { exact: true }).inputValue()
  that('it is another one', after !== before && after.startsWith('whsec_'))
  await hooks.getByRole('button', { name: 'Delete Failed builds' }).click()
  await hooks.getByText('No webhook yet.').waitFor()
})

await step('Keep a secret that the agent cannot read', async () => {
  await secrets.getByLabel('Secret’s name').fill('github')
  await secrets.getByLabel('Secret’s value').fill('ghp_a_secret_of_mine')
  await secrets.getByLabel('Hosts it may go to').fill('127.0.0.1')
  await secrets.getByRole('button', { name: 'Save secret' }).click()
  await secrets
    .getByRole('alert')
    .getByText(/secrets/)
    .waitFor()
  await secrets.getByLabel('Hosts it may go to').fill('api.github.com, uploads.github.com')
  await secrets.getByRole('button', { name: 'Save secret' }).click()
  await secrets.getByText('api.github.com, uploads.github.com').waitFor()
  that('its value is not on the page', !(await page.content()).includes('ghp_a_secret_of_mine'))
  const { body } = await call('GET', '/instance/secrets', undefined, user)
  that('it is the one', body.secrets[0]?.name === 'github' && body.secrets[0].header === 'authorization', body)
  const found = await obstacles(page)
  that('nothing is in a keyboard’s or screen reader’s way', found.length === 0, found)
  await secrets.getByRole('button', { name: 'Remove github' }).click()
  await secrets.getByText('None yet.').waitFor()
})

that('the browser had nothing to complain about', complaints.length === 0, complaints)
await browser.close()
process.exitCode = finish()
