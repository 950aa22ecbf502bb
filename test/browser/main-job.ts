/**
 * The main job by hand in a browser against a running service: from a new account to an agent that answers. `BERTH_URL`
 * is the service's address (default http://127.0.0.1:8787), `SHOTS` a folder for pictures, `CHROMIUM` the browser.
 */
import type { Page } from 'playwright-core'
import { startChecks } from './checks.ts'
import { patienceMs, startChromium } from './chromium.ts'
import { focused, obstacles, tabTo } from './page-facts.ts'
import { signedOut } from './visitor.ts'

const base = (process.env.BERTH_URL ?? 'http://127.0.0.1:8787').replace(/\/$/, '')
const email = `browser-${Date.now()}@example.com`
const machineMs = 60_000

const browser = await startChromium()
const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
const page = await context.newPage()
page.setDefaultTimeout(patienceMs)
const checks = startChecks(page, process.env.SHOTS)
const { step, that } = checks

const complaints: string[] = []
page.on('pageerror', (error) => complaints.push(error.message))
page.on('console', (message) => {
  // The browser itself reports refused requests; the request for the session is refused before sign-in.
  if (message.type() === 'error' && !message.text().includes('status of 401')) complaints.push(message.text())
})
page.on('request', (request) => {
  if (!request.url().startsWith(base)) complaints.push(`asked another site: ${request.url()}`)
})

interface Wallet {
  balanceMicros: number
  heldMicros: number
}
interface Noting {
  noteGrowing(text: string): void
}
interface Line {
  type: string
  amountMicros: number
  receipt?: { inputTokens: number; settledMicros: number; model: string }
}

/** Reads the API as the signed-in page does. */
async function get<T>(path: string): Promise<T> {
  const response = await context.request.get(`${base}/api${path}`)
  if (!response.ok()) throw new Error(`GET ${path} answered ${response.status()}`)
  // safe because the types above contain only documented fields of these answers
  return (await response.json()) as T
}
const wallet = () => get<Wallet>('/wallet')
const ledger = async () => (await get<{ transactions: Line[] }>('/wallet/transactions')).transactions
const generation = async () => (await get<{ instance: { generation: number } }>('/instance/status')).instance.generation

/** Waits until `read` returns a value that `fits` accepts. */
async function until<T>(
  what: string,
  read: () => Promise<T>,
  fits: (value: T) => boolean,
  limitMs = patienceMs,
): Promise<T> {
  const endMs = Date.now() + limitMs
  for (;;) {
    const value = await read()
    if (fits(value)) return value
    if (Date.now() > endMs) throw new Error(`${what}: still ${JSON.stringify(value)} after ${limitMs / 1_000} s`)
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}

async function mailedCode(): Promise<string> {
  const read = async () => {
    const response = await fetch(`${base}/local/mail?to=${encodeURIComponent(email)}`)
    if (!response.ok) throw new Error(`GET /local/mail answered ${response.status}`)
    // safe because the local mailbox returns its e-mails, newest first
    const { mails } = (await response.json()) as { mails: { text: string }[] }
    return /\b\d{6}\b/.exec(mails[0]?.text ?? '')?.[0] ?? ''
  }
  return until('the mailed code', read, (code) => code !== '')
}

const place = (name: string) => page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name, exact: true })
const goTo = async (name: string) => {
  await place(name).click()
  await page.getByRole('heading', { level: 1, name }).waitFor({ state: 'attached' })
}
const stateShown = (label: string) =>
  page
    .getByRole('banner')
    .getByRole('link', { name: `Instance: ${label}` })
    .waitFor({ timeout: machineMs })
const reply = (text: string) => page.getByRole('log').getByText(new RegExp(`^You said: "?${text}"?`))
const noObstacles = async (where: string) => {
  const found = await obstacles(page)
  that(`${where} has no obstacle for keyboard or screen reader`, found.length === 0, found)
}

/** Pays on the hosted page and returns to the dashboard. */
async function pay(from: Page): Promise<void> {
  await from.waitForURL(/\/local\/checkout\//)
  await from.getByRole('button', { name: /^(Pay|Subscribe)/ }).click()
  await from.waitForURL((url) => !url.pathname.startsWith('/local/'))
}

async function say(text: string): Promise<void> {
  await page.getByLabel('Message to your agent').fill(text)
  await page.keyboard.press('Enter')
}

await step('Sign in by keyboard', async () => {
  await page.goto(`${base}/sign-in`)
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  await noObstacles('The sign-in page')
  await page.keyboard.type('nonsense')
  await page.keyboard.press('Enter')
  await page.getByText('Enter an e-mail address such as').waitFor()
  await page.keyboard.press('ControlOrMeta+A')
  await page.keyboard.type(email)
  await page.keyboard.press('Enter')
  await page.getByLabel('Six-digit code').waitFor()
  const code = await mailedCode()
  const wrong = code === '000000' ? '111111' : '000000'
  await page.keyboard.type(wrong)
  await page.getByText('That code is not right').waitFor()
  await page.keyboard.press('ControlOrMeta+A')
  await page.keyboard.type(code)
  await page.getByRole('heading', { name: 'Welcome aboard' }).waitFor()
  that('the composer waits for a plan', await page.getByLabel('Message to your agent').isDisabled())
  await page.reload()
  await page.getByRole('heading', { name: 'Welcome aboard' }).waitFor()
  await page.keyboard.press('Tab')
  that('the first Tab offers to skip to the content', (await focused(page)) === 'Skip to content', await focused(page))
  await noObstacles('The empty chat')
})

await step('Subscribe on the hosted page', async () => {
  await page.getByRole('link', { name: 'See the plans' }).click()
  await page.getByRole('button', { name: 'Subscribe to Starter' }).waitFor()
  await noObstacles('The plans')
  await page.getByRole('button', { name: 'Subscribe to Starter' }).click()
  await pay(page)
  await page.getByText('your payment is confirmed').waitFor()
  that('the outcome is removed from the URL', !page.url().includes('checkout='), page.url())
})

await step('The machine starts', async () => {
  await stateShown('running')
  const { balanceMicros } = await until('the plan credit', wallet, ({ balanceMicros: now }) => now > 0)
  that('the plan credit is in the wallet', balanceMicros === 2_000_000, balanceMicros)
})

await step('Top up $10', async () => {
  const before = await wallet()
  await goTo('Wallet')
  await page.getByLabel('$10').check()
  await page.getByRole('button', { name: 'Top up $10' }).click()
  await pay(page)
  await page.getByText('+$10.00').waitFor()
  const after = await until('the credit', wallet, ({ balanceMicros }) => balanceMicros > before.balanceMicros)
  that('the balance rose by exactly $10', after.balanceMicros === before.balanceMicros + 10_000_000, { before, after })
  const topUps = (await ledger()).filter(({ type }) => type === 'topup')
  that('the ledger has the top-up once', topUps.length === 1, topUps)
  await page.getByRole('banner').getByRole('link', { name: 'Balance: $12.00' }).waitFor()
  await noObstacles('The wallet')
})

await step('Change the plan', async () => {
  await page.getByRole('button', { name: 'Account' }).click()
  await page.getByRole('link', { name: 'Billing' }).click()
  await page.getByRole('button', { name: 'Change to Pro' }).click()
  await page.getByRole('button', { name: 'Confirm' }).click()
  await page.getByText('You are on Pro.').waitFor()
  await page.getByText('Change of plan').waitFor()
  await noObstacles('The billing page')
})

await step('Chat with the agent', async () => {
  const before = await wallet()
  await goTo('Chat')
  await say('hello from the browser')
  await reply('hello from the browser').waitFor({ timeout: machineMs })
  const settled = ({ balanceMicros, heldMicros }: Wallet) => heldMicros === 0 && balanceMicros < before.balanceMicros
  const after = await until('the balance falls', wallet, settled)
  const usage = (await ledger()).filter(({ type }) => type === 'usage')
  const spent = usage.reduce((sum, { amountMicros }) => sum + amountMicros, 0)
  that('the balance fell by the ledger’s amount', before.balanceMicros + spent === after.balanceMicros, {
    before,
    after,
    spent,
  })
  that(
    'each call has a receipt of that amount',
    usage.length > 0 && usage.every((line) => line.receipt?.settledMicros === -line.amountMicros),
  )
  await noObstacles('The chat')
  await goTo('Wallet')
  await page.locator('.ledger summary', { hasText: 'Model call' }).first().press('Enter')
  await page.locator('.ledger details[open]').getByText('Charged, rounded up').waitFor()
})

await step('A growing reply is shown in each tab', async () => {
  await goTo('Chat')
  const words = Array.from({ length: 300 }, (_, at) => at).join(' ')
  const whole = `You said: "/slow 40 ${words}"`
  const seen: string[] = []
  await page.exposeFunction('noteGrowing', (text: string) => text !== seen.at(-1) && seen.push(text))
  await page.evaluate(() => {
    const note = () => {
      const text = document.querySelector('.pending-reply .message-text')?.textContent
      if (text) (window as unknown as Noting).noteGrowing(text) // safe because the test exposes it above
    }
    new MutationObserver(note).observe(document.body, { subtree: true, childList: true, characterData: true })
  })
  await say(`/slow 40 ${words}`)
  await until(
    'the beginning',
    async () => seen.length,
    (count) => count >= 2,
    machineMs,
  )
  const before = seen.at(-1) ?? ''
  const other = await context.newPage()
  await other.goto(base)
  const joined = (await other.locator('.pending-reply .message-text').textContent()) ?? ''
  that('a tab that opens later has the text so far', joined.startsWith(before) && whole.startsWith(joined), {
    before,
    joined,
  })
  await checks.shoot('A reply that grows')
  for (const tab of [page, other])
    await tab.getByRole('log').getByText(whole, { exact: true }).waitFor({ timeout: machineMs })
  that(
    'the text grew',
    seen.length >= 4,
    seen.map(({ length }) => length),
  )
  that(
    'no character was lost or shown twice',
    seen.every((text) => whole.startsWith(text)),
    seen,
  )
  await other.close()
})

await step('A reply of 50,000 characters is shown completely, despite lost, doubled and reordered pushes', async () => {
  const own = await browser.newContext({ storageState: await context.storageState() })
  const tab = await own.newPage()
  const lines = Array.from({ length: 1_000 }, (_, at) => `- line ${at} of a **long** reply, with \`code\` in it`)
  const text = lines.join('\n').padEnd(50_000, '.').slice(0, 50_000)
  const at = new Date().toISOString()
  const asked = {
    id: 'msg_01KAHB2N3P4Q5R6S7T8V9WXYZ0',
    role: 'user',
    text: 'At length, please',
    conversation: 'main',
    channel: 'web',
    at,
  }
  await tab.route('**/api/chat/messages?**', (route) => route.fulfill({ json: { messages: [asked] } }))
  let askedFor = 0
  await tab.routeWebSocket(/\/socket$/, (socket) => {
    const send = (from: number, to: number) => {
      const piece = { promptId: 'prm_01KAHB2N3P4Q5R6S7T8V9WXYZ0', draft: 1000, from, text: text.slice(from, to) }
      socket.send(JSON.stringify({ type: 'text', ...piece }))
    }
    socket.onMessage(async (message) => {
      const { action, from } = JSON.parse(String(message))
      if (action === 'missing') {
        askedFor++
        for (let begin = from; begin < from + 5_000; begin += 5_000) send(begin, begin + 5_000)
      }
      if (action !== 'resume') return
      socket.send(JSON.stringify({ type: 'resumed', upTo: 'evt_01KAHB2N3P4Q5R6S7T8V9WXYZ0' }))
      for (let count = 0; count < 500; count++) {
        const begin = (count ^ (Math.floor(count / 2) % 3 === 0 ? 1 : 0)) * 100
        if (count % 50 !== 7) send(begin, begin + 100)
        if (count % 5 === 0) send(begin, begin + 100)
        await new Promise((resolve) => setTimeout(resolve, 10))
      }
    })
  })
  await tab.goto(base)
  const shown = tab.locator('.pending-reply .message-text')
  await shown.waitFor()
  const frames = tab.evaluate(async () => {
    const gaps: number[] = []
    for (let last = performance.now(); gaps.length < 250; ) {
      const now = await new Promise<number>(requestAnimationFrame)
      gaps.push(now - last)
      last = now
    }
    return gaps.slice(1).sort((a, b) => a - b)
  })
  const plain = text.replaceAll(/^- |\*\*|`|\n/gm, '')
  const end = await until(
    'the end',
    async () => (await shown.textContent()) ?? '',
    (now) => now.length >= plain.length,
    machineMs,
  )
  that('the shown text is the sent text', end === plain, end.slice(-200))
  that('the page requested the lost text', askedFor > 0, askedFor)
  const gaps = await frames
  console.log(`  frames: half within ${gaps[125]?.toFixed(0)} ms, 95 of 100 within ${gaps[236]?.toFixed(0)} ms`)
  await own.close()
})

await step('Pause by keyboard', async () => {
  await goTo('Instance')
  await noObstacles('The instance page')
  await tabTo(page, 'Pause')
  await page.keyboard.press('Enter')
  await stateShown('paused')
  const offered = (name: string) => page.getByRole('button', { name, exact: true }).isEnabled()
  const buttons = [await offered('Resume'), await offered('Pause'), await offered('Restart')]
  that('a paused agent offers only Resume', buttons.join() === 'true,false,false', buttons)
})

await step('A message wakes it', async () => {
  const before = await generation()
  await goTo('Chat')
  const note = page.getByText('Waking up your agent').waitFor()
  await say('what did I say before')
  await note
  const answer = reply('what did I say before')
  await answer.waitFor({ timeout: machineMs })
  // The answer grows.
  await answer
    .filter({ hasText: 'Before that you said: "' })
    .waitFor({ timeout: machineMs })
    .catch(() => {})
  const words = (await answer.textContent()) ?? ''
  that('the agent remembers the conversation', words.includes('Before that you said: "hello from the browser"'), words)
  await stateShown('running')
  const after = await generation()
  that('the generation is higher', after > before, { before, after })
  await page.locator('.log-scroll').evaluate((log) => log.scrollTo(0, 0))
  await reply('hello from the browser').waitFor()
})

await step('The history of the machine', async () => {
  await goTo('Instance')
  const card = page.getByRole('region', { name: 'History' })
  await card.getByText('Each run, with its reasons').click()
  const rows = card.getByRole('row')
  await rows.filter({ hasText: 'A message woke it. It still runs.' }).waitFor()
  const current = await rows.nth(1).textContent()
  const before = await rows.nth(2).textContent()
  const [wake, pause] = ['A message woke it. It still runs.', 'It was set up. It was paused.']
  that('the current run says why it began', (current ?? '').includes(wake), current)
  that('the run before it says why it ended', (before ?? '').includes(pause), before)
  const today = card.locator('.runs-week .runs-row', { hasText: 'Today' })
  that('the chart has both runs', (await today.locator('.run-awake').count()) === 2, await today.innerHTML())
  await noObstacles('The history')
})

await step('Restart', async () => {
  const before = await generation()
  await goTo('Instance')
  await page.getByRole('button', { name: 'Restart' }).click()
  await until('the generation rises', generation, (now) => now > before, machineMs)
  await stateShown('running')
  await page.reload()
  await page.getByText('Your agent is awake').waitFor()
})

await step('Create, use and revoke a token', async () => {
  await goTo('Tokens')
  await noObstacles('The tokens page')
  await page.getByRole('button', { name: 'Make token' }).click()
  await page.getByText('Give the token a name').waitFor()
  that('the focus is on the empty field', await page.getByLabel('Name').evaluate((field) => field.matches(':focus')))
  await page.keyboard.type('Browser test')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'is ready' }).waitFor()
  const plaintext = await page.getByLabel('Token', { exact: true }).inputValue()
  that('the token has the documented shape', /^oss_[0-9A-Za-z]{36}$/.test(plaintext), plaintext.slice(0, 12))
  const line = await page.getByLabel('Claude Code command', { exact: true }).inputValue()
  const wanted = `claude mcp add --transport http berth ${base}/api/mcp-token --header "Authorization: Bearer ${plaintext}"`
  that('the command to paste is complete', line === wanted, line.replace(plaintext, 'oss_…'))
  await noObstacles('The new token')
  const use = async () => {
    const headers = { authorization: `Bearer ${plaintext}` }
    return (await fetch(`${base}/api/instance/status`, { headers })).status
  }
  that('the token works', (await use()) === 200)
  await page.reload()
  await page.getByRole('button', { name: 'Revoke Browser test' }).waitFor()
  that('the token is never shown again', !(await page.content()).includes(plaintext))
  await page.getByRole('button', { name: 'Revoke Browser test' }).click()
  await page.keyboard.press('Escape')
  that('Escape keeps the token', (await use()) === 200)
  await page.getByRole('button', { name: 'Revoke Browser test' }).click()
  await page.getByRole('button', { name: 'Revoke token' }).click()
  await page.getByText(/^Revoked/).waitFor()
  that('the revoked token is refused', (await use()) === 401)
})

await step('The pages fit a phone', async () => {
  await page.setViewportSize({ width: 390, height: 844 })
  for (const name of ['Chat', 'Wallet', 'Instance', 'Tokens']) {
    await goTo(name)
    await page.waitForFunction(() => document.querySelector('.loading') === null)
    await noObstacles(`${name} on a phone`)
  }
  await page.setViewportSize({ width: 1280, height: 800 })
})

await step('Sign out', async () => {
  await page.getByRole('button', { name: 'Account' }).press('Enter')
  await page.getByText(email).waitFor()
  await page.getByRole('button', { name: 'Sign out' }).press('Enter')
  await signedOut(page)
  const response = await context.request.get(`${base}/api/auth/session`)
  that('the session is over', response.status() === 401, response.status())
})

that('the browser reported no errors', complaints.length === 0, complaints)
await browser.close()
process.exitCode = checks.finish()
