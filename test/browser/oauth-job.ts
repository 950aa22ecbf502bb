/**
 * Connects an app by hand in a browser: the SDK's own client asks, the user signs in, reads, narrows and allows, the
 * app works, and the user revokes the access. `BERTH_URL`, `SHOTS` and `CHROMIUM` as in main-job.ts.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  auth,
  Client,
  type OAuthClientInformationMixed,
  type OAuthDiscoveryState,
  type OAuthTokens,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'
import type { Page } from 'playwright-core'
import { startChecks } from './checks.ts'
import { patienceMs, startChromium } from './chromium.ts'
import { obstacles } from './page-facts.ts'

const base = (process.env.BERTH_URL ?? 'http://127.0.0.1:8787').replace(/\/$/, '')
const email = `app-${Date.now()}@example.com`

const browser = await startChromium()
const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, colorScheme: 'dark' })
const page = await context.newPage()
page.setDefaultTimeout(patienceMs)
const { step, that, finish } = startChecks(page, process.env.SHOTS)

/** The app receives the answer here, as a program on this machine does. */
const answers: URLSearchParams[] = []
const callback = createServer((request, response) => {
  const url = new URL(request.url ?? '/', 'http://127.0.0.1')
  if (url.pathname === '/callback') answers.push(url.searchParams)
  response.writeHead(200, { 'content-type': 'text/html' }).end('<title>App</title><p>You can close this page.')
})
await new Promise<void>((listening) => callback.listen(0, '127.0.0.1', listening))
const redirectUrl = `http://127.0.0.1:${(callback.address() as AddressInfo).port}/callback` // safe because it listens on a port

const kept: {
  client?: OAuthClientInformationMixed
  tokens?: OAuthTokens
  discovery?: OAuthDiscoveryState
  verifier: string
} = {
  verifier: '',
}
let sentTo = ''
const authProvider = {
  redirectUrl,
  clientMetadata: { client_name: 'Tide table', redirect_uris: ['http://127.0.0.1/callback'] },
  state: () => 'a state',
  clientInformation: () => kept.client,
  saveClientInformation: (client: OAuthClientInformationMixed) => void Object.assign(kept, { client }),
  tokens: () => kept.tokens,
  saveTokens: (tokens: OAuthTokens) => void Object.assign(kept, { tokens }),
  redirectToAuthorization: (url: URL) => {
    sentTo = url.href
  },
  saveCodeVerifier: (verifier: string) => void Object.assign(kept, { verifier }),
  codeVerifier: () => kept.verifier,
  saveDiscoveryState: (discovery: OAuthDiscoveryState) => void Object.assign(kept, { discovery }),
  discoveryState: () => kept.discovery,
}
const serverUrl = new URL(`${base}/api/mcp`)

const answerOf = async (work: () => Promise<unknown>) => {
  const before = answers.length
  await work()
  await page.waitForURL(`${redirectUrl}?**`)
  return answers[before] ?? new URLSearchParams()
}

await step('the app starts the flow, and the user signs in on the page that it opened', async () => {
  await auth(authProvider, { serverUrl })
  await page.goto(sentTo)
  await page.getByLabel('E-mail address').fill(email)
  await page.getByRole('button', { name: 'Send me a code' }).click()
  await page.getByLabel('Six-digit code').waitFor()
  const { mails } = await (await fetch(`${base}/local/mail?to=${email}`)).json()
  await page.getByLabel('Six-digit code').fill(/\d{6}/.exec(mails[0].subject)?.[0] ?? '')
  await page.getByRole('heading', { name: 'Connect “Tide table”?' }).waitFor()
  const text = (await page.getByRole('main').textContent()) ?? ''
  that(
    'the page shows the app, the warning that its name is unverified, and the target of the answer',
    [email, 'Nobody has checked', 'this computer'].every((each) => text.includes(each)),
    text,
  )
  that(
    'the page says clearly that the app cannot spend money',
    text.includes('cannot spend from your wallet by itself'),
  )
  that('the page has no obstacle', (await obstacles(page)).length === 0, await obstacles(page))
  that('the heading has the focus', await page.evaluate(() => document.activeElement?.tagName === 'H1'))
})

await step('on a phone, and in light mode', async () => {
  await page.setViewportSize({ width: 375, height: 700 })
  await page.emulateMedia({ colorScheme: 'light' })
  that('the page has no obstacle', (await obstacles(page)).length === 0, await obstacles(page))
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
  that('no element is wider than the page', wide <= 0, wide)
  await page.setViewportSize({ width: 1280, height: 800 })
})

await step('a refusal is sent back without a code', async () => {
  const answer = await answerOf(() => page.getByRole('button', { name: 'Do not connect' }).click())
  that('access_denied', answer.get('error') === 'access_denied' && answer.get('code') === null, `${answer}`)
})

await step('granting a part connects the app', async () => {
  await page.goto(sentTo)
  await page.getByLabel(/mcp:wallet\.write/).uncheck()
  await page.getByLabel('It has to ask again').selectOption('7')
  const answer = await answerOf(() => page.getByRole('button', { name: 'Connect', exact: true }).click())
  that(
    'the answer has the state and the issuer',
    answer.get('state') === 'a state' && answer.get('iss') === `${base}/api`,
  )
  await auth(authProvider, { serverUrl, authorizationCode: answer.get('code') ?? '', iss: answer.get('iss') ?? '' })
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(new StreamableHTTPClientTransport(serverUrl, { authProvider }))
  const names = (await client.listTools()).tools.map(({ name }) => name)
  that(
    'the granted tools work, and the others do not',
    names.includes('wallet.balance') && !names.includes('wallet.checkoutTopUp'),
    names,
  )
  await client.close()
})

await step('the user sees the app on the tokens page, and revokes it', async () => {
  await page.goto(`${base}/tokens`)
  await page.getByRole('heading', { name: 'Connected apps' }).waitFor()
  that('the page has no obstacle', (await obstacles(page)).length === 0, await obstacles(page))
  await page.getByRole('button', { name: 'Revoke Tide table' }).click()
  await page.getByRole('button', { name: 'Disconnect' }).click()
  await page.getByText('Revoked').waitFor()
  const authorization = `Bearer ${kept.tokens?.access_token}`
  const refused = await fetch(serverUrl, { method: 'DELETE', headers: { authorization } })
  that('its token is refused', refused.status === 401, refused.status)
})

await step('a manipulated page redirects the browser nowhere', async () => {
  const wrong = new URL(sentTo)
  wrong.searchParams.set('redirect_uri', 'https://evil.example/callback')
  await page.goto(wrong.href)
  await page.getByRole('heading', { name: 'This app cannot be connected' }).waitFor()
  that('the browser stays on the page', page.url().startsWith(`${base}/authorize`), page.url())
  that(
    'the page offers no button to allow',
    (await page.getByRole('button', { name: 'Connect', exact: true }).count()) === 0,
  )
})

await step('anybody can run the connection test, and every hop works', async () => {
  const stranger = await (await browser.newContext()).newPage()
  await stranger.goto(`${base}/connect/doctor`)
  await stranger.getByRole('button', { name: 'Start' }).click()
  await stranger.getByRole('button', { name: 'Go to the consent page' }).click()
  await stranger.getByLabel('E-mail address').waitFor()
  await stranger.close()
  await page.goto(`${base}/connect/doctor`)
  await page.getByRole('button', { name: 'Start' }).click()
  await page.getByRole('button', { name: 'Go to the consent page' }).click()
  await page.getByRole('heading', { name: 'Connect “Connection doctor”?' }).waitFor()
  await page.getByRole('button', { name: 'Connect', exact: true }).click()
  await page.getByText('Every hop works.').waitFor()
  that(
    'eight hops are listed',
    (await page.getByRole('listitem').count()) === 8,
    await page.getByRole('list').textContent(),
  )
  that('the code is removed from the URL', page.url() === `${base}/connect/doctor`, page.url())
  that('the page has no obstacle', (await obstacles(page)).length === 0, await obstacles(page))
})

await step('the failing hop is named', async () => {
  await page.route('**/api/oauth/register', (route) => route.fulfill({ status: 502, body: '<html>Bad gateway' }))
  await page.getByRole('button', { name: 'Start again' }).click()
  await page.getByText('It stops at “Registration”.').waitFor()
  const report = await page.getByRole('textbox', { name: 'Report' }).inputValue()
  that('the page shows the received answer', report.includes('FAILED  Registration: 502 instead of 201'), report)
  await page.unroute('**/api/oauth/register')
})

await step('the tabs of a browser share one connection', async () => {
  const opened: string[] = []
  const watch = (tab: Page) => tab.on('websocket', (socket) => opened.push(socket.url()))
  watch(page)
  const until = async (count: number) => {
    for (let tries = 0; tries < 50 && opened.length < count; tries++) await page.waitForTimeout(100)
  }
  await page.goto(`${base}/tokens`)
  await until(1)
  const other = await context.newPage()
  watch(other)
  await other.goto(`${base}/tokens`)
  await other.getByRole('heading', { name: 'Your tokens' }).waitFor()
  await page.getByLabel('Name').fill('Seen in both')
  await page.getByRole('button', { name: 'Make token' }).click()
  await other.getByRole('button', { name: 'Revoke Seen in both' }).waitFor()
  const address = `${base.replace(/^http/, 'ws')}/socket`
  that('the connection goes to the pages’ own address', opened[0] === address, opened)
  that('the second tab opens none', opened.length === 1, opened)
  await page.goto('about:blank')
  await until(2)
  that('the second tab takes over when the first is closed', opened.length === 2, opened)
  await page.goto(`${base}/tokens`)
  await page.getByRole('button', { name: 'Revoke Seen in both' }).click()
  await page.getByRole('button', { name: 'Revoke token' }).click()
  await other
    .getByText('Seen in both')
    .locator('xpath=ancestor::li')
    .getByText(/^Revoked/)
    .waitFor()
  that('the second tab passes events to a tab that opens later', opened.length === 2, opened)
  await other.close()
})

await browser.close()
callback.close()
process.exitCode = finish()
