/**
 * The first load of a visitor and of a user, with an empty cache: few requests and bytes, and each thing is requested
 * once. The times of an idle computer and of a slow connection are printed, not checked: other work may run here.
 */
import type { BrowserContext } from 'playwright-core'
import { forgetRates } from '../service/store.ts'
import { settled } from './axe.ts'
import { startChecks } from './checks.ts'
import { patienceMs, startChromium } from './chromium.ts'
import { signIn, subscribe } from './visitor.ts'

const base = (process.env.BERTH_URL ?? 'http://127.0.0.1:8787').replace(/\/$/, '')

const mostRequests = 15
/** A user's page also has the code of the chat, and draws Markdown. */
const mostBytes = { visitor: 150_000, user: 162_000 }

/** A slow connection of a phone: 400 kbit/s, and 400 ms for each request. */
const slow = { offline: false, latency: 400, downloadThroughput: 50_000, uploadThroughput: 50_000 }

/** Loads of which the median is taken. */
const loads = 5

const browser = await startChromium()
const visitors = await browser.newContext()
const users = await browser.newContext()
const page = await users.newPage()
page.setDefaultTimeout(patienceMs)
const { step, that, finish } = startChecks(page, process.env.SHOTS && `${process.env.SHOTS}/first-load`)

interface Load {
  urls: string[]
  /** Bytes of all bodies, compressed. */
  bytes: number
  firstMs: number
  largestMs: number
  readyMs: number
}

/** Opens the dashboard in a new tab with an empty cache. @param ready the selector of what the reader waits for */
async function load(context: BrowserContext, ready: string, conditions?: typeof slow): Promise<Load> {
  await forgetRates()
  const tab = await context.newPage()
  tab.setDefaultTimeout(patienceMs)
  const network = await context.newCDPSession(tab)
  await network.send('Network.enable')
  await network.send('Network.setCacheDisabled', { cacheDisabled: true })
  if (conditions) await network.send('Network.emulateNetworkConditions', conditions)
  const urls: string[] = []
  let bytes = 0
  network.on('Network.requestWillBeSent', ({ request }) => {
    // Only a local service is asked whether it has a model.
    if (request.url !== `${base}/api/models`) urls.push(request.url.replace(base, ''))
  })
  network.on('Network.dataReceived', ({ encodedDataLength }) => (bytes += encodedDataLength))
  await tab.addInitScript(() => {
    const seen = { largest: 0 }
    Object.assign(window, { seen })
    new PerformanceObserver((list) => {
      for (const { startTime } of list.getEntries()) seen.largest = startTime
    }).observe({ type: 'largest-contentful-paint', buffered: true })
  })
  await tab.goto(base, { waitUntil: 'commit' })
  await tab.locator(ready).first().waitFor()
  const readyMs = await tab.evaluate(() => performance.now())
  await settled(tab)
  const paints = await tab.evaluate(() => ({
    first: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0,
    // safe because the script above defines it
    largest: (window as unknown as { seen: { largest: number } }).seen.largest,
  }))
  await tab.close()
  return { urls, bytes, firstMs: paints.first, largestMs: paints.largest, readyMs }
}

const median = (numbers: number[]): number => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0
const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`

async function measure(who: keyof typeof mostBytes, context: BrowserContext, ready: string): Promise<void> {
  const measured: Load[] = []
  for (let at = 0; at < loads; at++) measured.push(await load(context, ready))
  const worst = measured.reduce((a, b) => (b.urls.length > a.urls.length ? b : a))
  const bytes = Math.max(...measured.map((each) => each.bytes))
  that(`${who}: ${worst.urls.length} requests, at most ${mostRequests}`, worst.urls.length <= mostRequests, worst.urls)
  that(`${who}: ${Math.round(bytes / 1_000)} kB, at most ${mostBytes[who] / 1_000}`, bytes <= mostBytes[who], bytes)
  const twice = worst.urls.filter((url, at) => worst.urls.indexOf(url) !== at)
  that(`${who}: nothing is requested twice`, twice.length === 0, twice)
  const first = median(measured.map(({ firstMs }) => firstMs))
  const later = median(measured.map(({ firstMs, largestMs }) => largestMs - firstMs))
  console.log(`  ${who}: first paint ${seconds(first)}, largest ${seconds(later)} later (median of ${loads})`)
  const patient = await load(context, ready, slow)
  console.log(`  ${who}, 400 kbit/s: usable after ${seconds(patient.readyMs)}`)
}

await step('A visitor', () => measure('visitor', visitors, '.sign-in-card :is(input, textarea)'))

await step('A user with a conversation', async () => {
  await signIn(page, base, `first-load-${Date.now()}@example.com`)
  await subscribe(page, base)
  await page.getByLabel('Message to your agent').fill('When is the tide?')
  await page.keyboard.press('Enter')
  await page.getByRole('log').locator('.message:not(.own)', { hasText: 'You said' }).waitFor()
  await page.close()
  // The reply is marked as read, and paid: the measured loads find nothing new.
  await load(users, '.composer textarea:enabled')
  await measure('user', users, '.composer textarea:enabled')
})

await browser.close()
process.exitCode = finish()
