/**
 * Webhooks, endpoints and secrets in a browser; the curl command of the page is run unchanged. `BERTH_URL`, `SHOTS`,
 * `CHROMIUM` as in main-job.ts.
 */
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { call, hostedUser, origin } from '../service/client.ts'
import { openAs } from './open-as.ts'
import { obstacles } from './page-facts.ts'

const user = await hostedUser(500)
const { browser, page, complaints, step, that, finish } = await openAs(user, origin, 'outside')
const hooks = page.getByRole('region', { name: 'Webhooks in' })
const endpoints = page.getByRole('region', { name: 'Webhooks out' })
const secrets = page.getByRole('region', { name: 'Secrets the agent cannot read' })

await step('Create a webhook and send to it', async () => {
  await page.goto(`${origin}/connect?tab=webhooks`)
  await hooks.getByText('No webhook yet.').waitFor()
  await hooks.getByLabel('Webhook’s name').fill('Failed builds')
  await hooks.getByLabel('What the agent does with each request').fill('Say what failed.')
  await hooks.getByRole('button', { name: 'Add webhook' }).click()
  const line = await hooks.getByLabel('Webhook curl command', { exact: true }).inputValue()
  const said = execFileSync('sh', ['-c', `${line} -sS`], { encoding: 'utf8' })
  that('the page’s curl command works unchanged', said === '{"received":true}', said)
  const found = await obstacles(page)
  that('the page has no obstacle for keyboard or screen reader', found.length === 0, found)
})

await step('Replace its secret, and delete it', async () => {
  const before = await hooks.getByLabel('Webhook secret', { exact: true }).inputValue()
  await hooks.getByRole('button', { name: 'I have stored it' }).click()
  await page.reload()
  await hooks.getByText(/asked$/).waitFor()
  that('the secret is not shown again', !(await page.content()).includes(before))
  await hooks.getByRole('button', { name: 'New secret for Failed builds' }).click()
  const after = await hooks.getByLabel('Webhook secret', { exact: true }).inputValue()
  that('the new secret differs', after !== before && after.startsWith('whsec_'))
  await hooks.getByRole('button', { name: 'Delete Failed builds' }).click()
  await hooks.getByText('No webhook yet.').waitFor()
})

await step('Send events to a program', async () => {
  const sent: string[] = []
  const receiver = createServer((request, response) => {
    sent.push(String(request.headers['webhook-id']))
    response.writeHead(sent.length === 1 ? 500 : 204).end()
  }).listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  const { port } = receiver.address() as AddressInfo // safe because it listens on TCP
  await endpoints.getByText('No endpoint yet.').waitFor()
  await endpoints.getByLabel('Endpoint’s name').fill('My log')
  await endpoints.getByLabel('URL').fill('http://10.0.0.1/')
  await endpoints.getByRole('button', { name: 'Add endpoint' }).click()
  await endpoints.getByRole('alert').getByText(/https/).waitFor()
  await endpoints.getByLabel('URL').fill(`http://127.0.0.1:${port}/berth`)
  await endpoints.getByLabel('Send every event').uncheck()
  await endpoints.getByLabel('token.leaked').check()
  await endpoints.getByRole('button', { name: 'Add endpoint' }).click()
  const secret = await endpoints.getByLabel('Endpoint secret', { exact: true }).inputValue()
  that('the secret is one of Standard Webhooks', secret.startsWith('whsec_'))
  await endpoints.getByRole('button', { name: 'I have stored it' }).click()
  await endpoints.getByRole('button', { name: 'Test My log' }).click()
  const list = endpoints.getByRole('list', { name: 'Deliveries to My log' })
  const again = endpoints.getByRole('button', { name: 'Refresh deliveries to My log' })
  for (let looked = 0; looked < 30 && (await list.getByText('was delivered').count()) === 0; looked++) {
    await page.waitForTimeout(500)
    await again.click()
  }
  await list.getByText(/2 tries · answered 204/).waitFor()
  const found = await obstacles(page)
  that('the page has no obstacle for keyboard or screen reader', found.length === 0, found)
  await list.getByRole('button', { name: 'Send again' }).click()
  for (let waited = 0; waited < 50 && sent.length < 3; waited++) await page.waitForTimeout(100)
  that('all three arrived under one id', sent.length === 3 && new Set(sent).size === 1, sent)
  await endpoints.getByRole('button', { name: 'Disable My log' }).click()
  await endpoints.getByRole('button', { name: 'Enable My log' }).waitFor()
  await endpoints.getByRole('button', { name: 'Delete My log' }).click()
  await endpoints.getByText('No endpoint yet.').waitFor()
  receiver.close()
})

await step('Store a secret that the agent cannot read', async () => {
  await page.goto(`${origin}/instance?tab=settings`)
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
  that(
    'the stored value is the entered one',
    body.secrets[0]?.name === 'github' && body.secrets[0].header === 'authorization',
    body,
  )
  const found = await obstacles(page)
  that('the page has no obstacle for keyboard or screen reader', found.length === 0, found)
  await secrets.getByRole('button', { name: 'Remove github' }).click()
  await secrets.getByText('None yet.').waitFor()
})

that('the browser reported no errors', complaints.length === 0, complaints)
await browser.close()
process.exitCode = finish()
