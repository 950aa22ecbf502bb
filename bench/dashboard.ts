/**
 * `npm run prove dashboard`: the time for a conversation of 10,000 messages in Chromium at a quarter of this machine's
 * speed. The pages are the service's own; its answers are replaced by ones of this length.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { startBerth } from '../local/main.ts'
import { recordRun } from '../proofs/kit/record.ts'
import { startChromium } from '../test/browser/chromium.ts'

const slowdown = 4
const count = 10_000
const wanted = { paintMs: 300, chunkMs: 16, shift: 0.02 } as const

const dataDir = mkdtempSync(join(tmpdir(), 'berth-dashboard-'))
const berth = await startBerth({ port: 0, dataDir, quiet: true })
process.env.BERTH_URL = berth.url
const { hostedUser, origin } = await import('../test/service/client.ts')

const idAt = (prefix: string, at: number) => `${prefix}_01KAHB2N3P4Q5R6S7T8V9${String(at).padStart(5, '0')}`
const reply = [
  'The tide turns at **ten**. Three things follow from that:',
  '- the boat leaves an hour earlier\n- the `harbour` is closed at noon\n  - but not on Sundays',
  '| day | high |\n|---|--:|\n| Monday | 4.1 m |\n| Tuesday | 4.3 m |',
  '```js\nfor (const tide of tides) console.log(tide.height)\n```',
  'More is at https://example.com/tides, and in _your_ notes.',
].join('\n\n')
const pieceLength = 160
const grownText = Array.from({ length: 60 }, () => reply)
  .join('\n\n')
  .slice(0, 24_000)
const messages = Array.from({ length: count }, (_, at) => ({
  id: idAt('msg', at),
  role: at % 2 === 0 ? 'user' : 'agent',
  text: at % 2 === 0 ? `When is the tide, number ${at}?` : reply.slice(0, 80 + ((at * 37) % 400)),
  conversation: 'main',
  channel: 'web',
  at: new Date(Date.UTC(2026, 0, 1) + at * 600_000).toISOString(),
  ...(at % 2 === 1 && { inReplyTo: idAt('msg', at - 1) }),
}))

/** The service's answers for these messages. */
function pageOf(search: URLSearchParams) {
  const [before, after, limit] = [search.get('before'), search.get('after'), Number(search.get('limit') ?? 50)]
  const from = after ? messages.findIndex(({ id }) => id > after) : -1
  const to = before ? messages.findIndex(({ id }) => id >= before) : messages.length
  if (after) return { messages: messages.slice(from, from + limit), more: from + limit < messages.length }
  return { messages: messages.slice(Math.max(0, to - limit), to), more: to > limit, questions: [] }
}

const percentile = (values: number[], part: number) =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * part))] ?? 0

const user = await hostedUser(500)
const [name = '', value = ''] = user.cookie.split('=')
const browser = await startChromium()

interface Seen {
  dataMs: number
  paintMs: number
  shift: number
}

async function openPage(rate: number) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
  await context.addCookies([{ name, value, url: origin }])
  const page = await context.newPage()
  await page.addInitScript(() => {
    const seen: Seen = { dataMs: 0, paintMs: 0, shift: 0 }
    Object.assign(window, { seen })
    const { fetch } = window
    window.fetch = async (...asked) => {
      const answer = await fetch(...asked)
      if (seen.paintMs === 0 && /^\/api\/(?:status|chat\/messages\?)/.test(String(asked[0])))
        seen.dataMs = performance.now()
      return answer
    }
    const watch = new MutationObserver(() => {
      if (!document.querySelector('.message')) return
      watch.disconnect()
      requestAnimationFrame(() => setTimeout(() => (seen.paintMs = performance.now())))
    })
    watch.observe(document, { childList: true, subtree: true })
    new PerformanceObserver((list) => {
      // safe because entries of this kind have these fields
      for (const entry of list.getEntries() as (PerformanceEntry & { value: number; hadRecentInput: boolean })[])
        if (!entry.hadRecentInput) seen.shift += entry.value
    }).observe({ type: 'layout-shift', buffered: true })
  })
  await page.route('**/api/chat/messages?**', (route) =>
    route.fulfill({ json: pageOf(new URL(route.request().url()).searchParams) }),
  )
  const devtools = await context.newCDPSession(page)
  await devtools.send('Emulation.setCPUThrottlingRate', { rate })
  // The thread's own time, which excludes other work of the machine.
  await devtools.send('Performance.setTimeDomain', { timeDomain: 'threadTicks' })
  await devtools.send('Performance.enable')
  const busyMs = async () => {
    const { metrics } = await devtools.send('Performance.getMetrics')
    return (metrics.find((metric) => metric.name === 'TaskDuration')?.value ?? 0) * 1_000
  }
  // safe because the script above sets it
  const seen = () => page.evaluate(() => (window as unknown as { seen: Seen }).seen)
  return { context, page, busyMs, seen }
}

async function firstPaint() {
  const { context, page, seen } = await openPage(slowdown)
  await page.goto(origin)
  await page.waitForFunction(() => (window as unknown as { seen: Seen }).seen.paintMs > 0)
  await page.waitForTimeout(2_000)
  const { dataMs, paintMs, shift } = await seen()
  await context.close()
  return { paintMs: paintMs - dataMs, shift }
}

/** Loads the history back to the first message, a page at a time. */
async function toTheBeginning() {
  const { context, page } = await openPage(slowdown)
  await page.goto(origin)
  await page.locator('.message').first().waitFor()
  const begun = Date.now()
  let nodes = 0
  const first = page.getByText('number 0?')
  while ((await first.count()) === 0 && Date.now() - begun < 240_000) {
    await page.locator('.log-scroll').evaluate((log) => log.scrollTo(0, 0))
    await page.waitForTimeout(60)
    nodes = Math.max(nodes, await page.evaluate(() => document.querySelectorAll('.log *').length))
  }
  const reached = (await first.count()) > 0
  await context.close()
  return { seconds: (Date.now() - begun) / 1_000, reached, nodes }
}

/** The main thread's time for each piece of a text, and for the frames that show it, at the speed of the proof, ms. */
async function timed(
  page: Page,
  busyMs: () => Promise<number>,
  text: string,
  push: (from: number, to: number) => unknown,
) {
  const chunks: number[] = []
  const idle = await busyMs()
  await page.waitForTimeout(1_000)
  const idlePerMs = ((await busyMs()) - idle) / 1_000
  for (let from = 0; from < text.length; from += pieceLength) {
    const before = await busyMs()
    const begun = Date.now()
    await push(from, from + pieceLength)
    await page.waitForTimeout(80)
    chunks.push(((await busyMs()) - before - idlePerMs * (Date.now() - begun)) * slowdown)
  }
  return chunks
}

/** The same for a page with a single text, which is scrolled to its end: Chromium's own time for a frame. */
async function barePage() {
  const { context, page, busyMs } = await openPage(1)
  await page.route('**/bare', (route) => route.fulfill({ contentType: 'text/html', body: '<pre></pre>' }))
  await page.goto(`${origin}/bare`)
  const chunks = await timed(page, busyMs, grownText, (from, to) =>
    page.evaluate(
      (piece) => {
        document.querySelector('pre')?.append(`${piece}\n`)
        window.scrollTo(0, document.documentElement.scrollHeight)
      },
      grownText.slice(from, to),
    ),
  )
  await context.close()
  return chunks
}

async function growing() {
  const { context, page, busyMs, seen } = await openPage(1)
  const asked = { ...messages[count - 2], id: idAt('msg', count), at: new Date().toISOString() }
  messages.push(asked as (typeof messages)[number])
  let push = (_: number, __: number) => {}
  await page.routeWebSocket(/\/socket$/, (socket) => {
    push = (from, to) =>
      socket.send(
        JSON.stringify({
          type: 'text',
          promptId: idAt('prm', count),
          draft: 1000,
          from,
          text: grownText.slice(from, to),
        }),
      )
    socket.onMessage((message) => {
      if (JSON.parse(String(message)).action === 'resume')
        socket.send(JSON.stringify({ type: 'resumed', upTo: idAt('evt', 1) }))
    })
  })
  await page.goto(origin)
  await page.locator('.pending-reply').waitFor()
  await page.waitForTimeout(2_000)
  const chunks = await timed(page, busyMs, grownText, push)
  const { shift } = await seen()
  messages.pop()
  await context.close()
  return { chunks, shift }
}

const paints = [await firstPaint(), await firstPaint(), await firstPaint(), await firstPaint(), await firstPaint()]
const paintMs = percentile(
  paints.map((paint) => paint.paintMs),
  0.5,
)
const shift = Math.max(...paints.map((paint) => paint.shift))
const grown = await growing()
const [half, most] = [percentile(grown.chunks, 0.5), percentile(grown.chunks, 0.95)]
const bare = await barePage()
const back = process.argv[2] === 'short' ? { seconds: 0, reached: true, nodes: 0 } : await toTheBeginning()
await browser.close()
await berth.stop()
rmSync(dataDir, { recursive: true, force: true })

const lines: [what: string, value: string, limit: string, holds: boolean][] = [
  [
    'first paint after the data, median of five',
    `${paintMs.toFixed(0)} ms`,
    `${wanted.paintMs} ms`,
    paintMs <= wanted.paintMs,
  ],
  ['layout shift while it opens, worst of five', shift.toFixed(4), `${wanted.shift}`, shift <= wanted.shift],
  [
    'main thread for a chunk of a reply of 24,000 characters, half',
    `${half.toFixed(1)} ms`,
    `${wanted.chunkMs} ms`,
    half <= wanted.chunkMs,
  ],
  ['… 95 of 100', `${most.toFixed(1)} ms`, `${wanted.chunkMs} ms`, most <= wanted.chunkMs],
  ['the same of a page with nothing but a text, half', `${percentile(bare, 0.5).toFixed(1)} ms`, '', true],
  ['layout shift while it grows', grown.shift.toFixed(4), `${wanted.shift}`, grown.shift <= wanted.shift],
  ['back to the first message', `${back.seconds.toFixed(0)} s`, 'reached', back.reached],
  ['most elements of messages meanwhile', `${back.nodes}`, '2000', back.nodes < 2_000],
]
const rows = lines.map(([what, seen, limit, holds]) => `| ${what} | ${seen} | ${limit} | ${holds ? 'yes' : 'no'} |`)
const table = ['| what | seen | wanted | holds |', '|---|--:|--:|---|', ...rows].join('\n')
console.log(table)
const allHold = lines.every(([, , , holds]) => holds)
recordRun('dashboard', { table }, allHold)
process.exitCode = allHold ? 0 : 1
