/**
 * Every page at the size of a phone, a tablet and a desktop, light and dark: no obstacle for keyboard or screen reader
 * (axe), no sideways scrolling, few requests. `SHOTS` keeps a picture of each; `npm run tour` runs this job alone.
 * The job clears rate windows in the service's store (`BERTH_DATA_DIR`).
 */
import { pagePaths } from '../../domain/dashboard-pages.ts'
import { viewRoot } from '../../domain/view-root.ts'
import { forgetRates } from '../service/store.ts'
import { settled, violations } from './axe.ts'
import { startChecks } from './checks.ts'
import { patienceMs, startChromium } from './chromium.ts'
import { obstacles, schemesAt, stretched } from './page-facts.ts'
import { signIn, subscribe } from './visitor.ts'

const base = (process.env.BERTH_URL ?? 'http://127.0.0.1:8787').replace(/\/$/, '')

const sizes = [
  { width: 390, height: 844 },
  { width: 820, height: 1180 },
  { width: 1440, height: 900 },
]
/** The smallest and the largest screen, at which a page is checked without axe. */
const extremes = [
  { width: 360, height: 740 },
  { width: 3840, height: 2160 },
]

/** Reads of the frame around every page, and the maximum of a page's own reads. */
const around = ['/api/auth/session', '/api/instance/status', '/api/notices']
const mostReads = 4

const browser = await startChromium()
const page = await browser.newPage()
page.setDefaultTimeout(patienceMs)
const checks = startChecks(page, process.env.SHOTS)
const { step, that } = checks

let reads: string[] = []
const complaints: string[] = []
page.on('request', (request) => {
  const { pathname } = new URL(request.url())
  if (pathname.startsWith('/api/') && request.method() === 'GET') reads.push(pathname)
  if (!request.url().startsWith(base) && !request.url().startsWith('data:')) complaints.push(`asked ${request.url()}`)
})
page.on('pageerror', (error) => complaints.push(error.message))
page.on('console', (message) => {
  // The browser itself reports refused requests: the session is requested before sign-in, and /operator is restricted.
  if (message.type() === 'error' && !/status of 40[13]/.test(message.text())) complaints.push(message.text())
})

/** Loads a page. A user has a limited number of requests in a minute, and no reader loads pages so fast. */
async function open(path: string): Promise<void> {
  await forgetRates()
  await page.goto(`${base}${path}`)
  await settled(page)
}

/** Loads a page in each size, and checks it in each scheme. */
async function tour(name: string, path: string): Promise<void> {
  await skim(name, path)
  for (const size of sizes) {
    await page.setViewportSize(size)
    reads = []
    await open(path)
    for (const colorScheme of schemesAt(size.width)) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      const where = `${name}, ${size.width} px, ${colorScheme}`
      const found = [...(await violations(page)), ...(await obstacles(page))]
      that(`${where}: no obstacle for a reader`, found.length === 0, found)
      await checks.shoot(where)
    }
  }
  const own = reads.filter((read) => !around.includes(read))
  that(`${name} loads with at most ${mostReads} requests`, own.length <= mostReads, own)
}

/** Loads a page on the smallest and the largest screen: nothing scrolls sideways, is stretched or cut. */
async function skim(name: string, path: string): Promise<void> {
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
  for (const size of extremes) {
    await page.setViewportSize(size)
    await open(path)
    const where = `${name}, ${size.width} px`
    const found = [...(await obstacles(page)), ...(await stretched(page))]
    that(`${where}: no obstacle for a reader, and no line is too long`, found.length === 0, found)
    await checks.shoot(where)
  }
}

await step('Signed out', async () => {
  await tour('Welcome', '/')
  await tour('Doctor', '/connect/doctor')
})

await step('Sign in and subscribe', async () => {
  await signIn(page, base, `tour-${Date.now()}@example.com`)
  await tour('Chat without a plan', '/')
  await tour('Instance without a plan', '/instance')
  await page.evaluate(() => fetch('/api/trial', { method: 'POST' }))
  await page.goto(base)
  await page.getByLabel('Message to your agent').fill('Hello')
  await page.keyboard.press('Enter')
  await page.getByRole('log').getByText('You said').last().waitFor({ timeout: 60_000 })
  await tour('Chat on trial', '/')
  await subscribe(page, base)
  for (const text of ['When is the tide?', '| a | b |\n|---|---|\n| 1 | 2 |\n\n- one\n  - two']) {
    await page.getByLabel('Message to your agent').fill(text)
    await page.keyboard.press('Enter')
    await page.getByRole('log').getByText('You said').last().waitFor({ timeout: 60_000 })
  }
})

const parts = [
  ...['schedules', 'log', 'settings'].map((tab) => `/instance?tab=${tab}`),
  ...['channels', 'webhooks'].map((tab) => `/connect?tab=${tab}`),
  '/skills?skill=github-digest',
  '/personas?persona=default',
  '/personas?new=friendly-coach',
  '/notifications?tab=settings',
]
const apart = new Set<string>(['/sign-in', '/authorize', '/connect/doctor'])
const isToured = (path: string) => !apart.has(path) && !path.startsWith(viewRoot)
for (const path of [...pagePaths.filter(isToured), ...parts]) {
  await step(path, () => tour(path === '/' ? 'Chat' : path, path))
}

that('the browser reported no errors, and no other host was contacted', complaints.length === 0, complaints)
await browser.close()
process.exitCode = checks.finish()
