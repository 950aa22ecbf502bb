/**
 * MCP clients are connected by the instructions of the Connect page: the links are decoded, the protocol's own client
 * uses a line's token, and the page shows the caller. `BERTH_URL`, `SHOTS`, `CHROMIUM` as in main-job.ts.
 */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { call, hostedUser, mintedWith, origin } from '../service/client.ts'
import { openAs } from './open-as.ts'
import { obstacles } from './page-facts.ts'

const user = await hostedUser(500)
const { browser, page, complaints, step, that, shoot, finish } = await openAs(user, origin, 'clients', {
  viewport: { width: 1440, height: 900 },
})
page.on('dialog', (dialog) => complaints.push(dialog.message()))
page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))

const card = (client: string) => page.getByRole('region', { name: client, exact: true })
const nothingInTheWay = async (where: string) => {
  const found = await obstacles(page)
  that(`${where}: no obstacle for keyboard or screen reader`, found.length === 0, found)
}

/** Uses a token in the protocol's own client, under a name that the client gives itself. */
async function callAs(client: string, url: string, token: string): Promise<string[]> {
  const connected = new Client({ name: client, version: '1' })
  const requestInit = { headers: { Authorization: `Bearer ${token}` } }
  await connected.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }))
  const { tools } = await connected.listTools()
  await connected.close()
  return tools.map((tool) => tool.name)
}

await step('List every client, none of them connected', async () => {
  await page.goto(origin)
  await page.getByRole('link', { name: 'Connect', exact: true }).press('Enter')
  await card('Claude Code').waitFor()
  const names = await page.locator('.client-card h2').allTextContents()
  const all = ['Claude Code', 'Claude', 'ChatGPT', 'Cursor', 'VS Code', 'Codex', 'Any other client']
  that('seven clients are listed', names.join() === all.join(), names)
  that('none is connected', (await page.getByText('Not connected', { exact: true }).count()) === 7)
  await nothingInTheWay('The page without connections')
})

await step('Read the instructions of each client', async () => {
  const line = (client: string) => card(client).getByRole('textbox').first().inputValue()
  that(
    'Claude Code has a command',
    (await line('Claude Code')) === `claude mcp add --transport http berth ${origin}/api/mcp && claude mcp login berth`,
    await line('Claude Code'),
  )
  that(
    'Codex has a command',
    (await line('Codex')) === `codex mcp add berth --url ${origin}/api/mcp`,
    await line('Codex'),
  )
  that('any other client has an address', (await line('Any other client')) === `${origin}/api/mcp`)
  const cursor = new URL((await card('Cursor').getByRole('link').getAttribute('href')) ?? '')
  const config = Buffer.from(cursor.searchParams.get('config') ?? '', 'base64').toString()
  that(
    'Cursor has a link',
    cursor.protocol === 'cursor:' && config === JSON.stringify({ url: `${origin}/api/mcp` }),
    config,
  )
  const vscode = (await card('VS Code').getByRole('link').getAttribute('href')) ?? ''
  const server = JSON.parse(decodeURIComponent(vscode.replace('vscode:mcp/install?', '')))
  that('VS Code has a link', server.type === 'http' && server.url === `${origin}/api/mcp`, server)
  for (const far of ['Claude', 'ChatGPT'])
    that(
      `${far} has a note that this computer is out of its reach`,
      (await card(far).getByText('which cannot reach this address').count()) === 1 &&
        (await card(far).getByRole('link').count()) === 0,
    )
})

let token = ''
await step('Create a token on the page, and see the first call arrive', async () => {
  const claude = card('Claude Code')
  await claude.getByText('With a token instead').click()
  that('the smallest scope is selected', await claude.getByRole('radio', { name: 'Look only (6 tools)' }).isChecked())
  await claude.getByRole('button', { name: 'Make token' }).press('Enter')
  await claude.getByText('shown this once').waitFor()
  await claude.getByText('Waiting for the first call').waitFor()
  const line = await claude.getByRole('textbox').nth(1).inputValue()
  const [, url = '', made = ''] = /berth (\S+) --header "Authorization: Bearer (\S+)"$/.exec(line) ?? []
  token = made
  that('the command has this service’s address and the token', url === `${origin}/api/mcp-token` && token !== '', line)
  await nothingInTheWay('The page with a new token')
  await shoot('token')
  that('the token can only read', (await callAs('claude-code', url, token)).length === 6)
  await claude.getByText('Claude Code is connected.').waitFor()
  await claude.getByText(/^6 tools · last call (now|\d+s ago) by Claude Code$/).waitFor()
  that('the page no longer waits for a call', (await claude.getByText('Waiting for the first call').count()) === 0)
  await shoot('connected')
})

await step('Reload: the client is connected, and the token is hidden', async () => {
  await page.reload()
  await card('Claude Code').getByText('Connected', { exact: true }).waitFor()
  that('the token is not on the page', !(await page.content()).includes(token))
  that('the success message is shown once', (await page.getByText('Claude Code is connected.').count()) === 0)
})

await step('Connect a program with a hostile name', async () => {
  const hostile = `\u202e<img src=x onerror=window.hostile=1>${'\u0336'.repeat(300)}\u0000${'A'.repeat(10_000)}`
  const other = await mintedWith(user, ['mcp:wallet.read'])
  await callAs(hostile, `${origin}/api/mcp-token`, other)
  const row = card('Any other client').getByRole('listitem')
  await row.getByText('<img src=x onerror=window.hostile=1>').waitFor()
  const shown = await row.locator('bdi').last().textContent()
  that(
    'the name is one short line in its own direction',
    (shown ?? '').length <= 60 && !shown?.includes('\u202e'),
    shown,
  )
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
  that('no element is wider than the page', wide <= 0, wide)
  that('no script ran', await page.evaluate(() => !('hostile' in window)))
  await page.goto(`${origin}/tokens`)
  await page.getByText('<img src=x onerror=window.hostile=1>').first().waitFor()
  that('no script ran on the tokens page', await page.evaluate(() => !('hostile' in window)))
  await nothingInTheWay('The tokens page')
  await shoot('tokens page')
  await page.goBack()
})

await step('On a phone, a tablet and a desktop, light and dark', async () => {
  await card('Claude Code').waitFor()
  for (const width of [390, 820, 1440]) {
    await page.setViewportSize({ width, height: 900 })
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      await nothingInTheWay(`${width} px, ${colorScheme}`)
      await shoot(`${width} ${colorScheme}`)
    }
  }
})

await step('Revoke the token on the page', async () => {
  await card('Claude Code').getByRole('button', { name: 'Revoke Claude Code' }).click()
  await page.getByRole('button', { name: 'Revoke token' }).click()
  await card('Claude Code').getByText('Not connected', { exact: true }).waitFor()
  that('the token is refused', (await call('GET', '/wallet', undefined, { bearer: token })).status === 401)
})

await step('Old addresses lead to the sections', async () => {
  await page.goto(`${origin}/instance?tab=webhooks`)
  await page.waitForURL(`${origin}/connect?tab=webhooks`)
  await page.getByRole('heading', { name: 'Webhooks out' }).waitFor()
  await nothingInTheWay('The webhooks')
  await shoot('webhooks')
})

that('the browser reported no errors', complaints.length === 0, complaints)
await browser.close()
process.exitCode = finish()
