/**
 * The ten main views, in light and dark colours and on a phone: each looks as in its stored picture in
 * `test/browser/views`. After an intended change, `VIEWS=write npm run test:browser views` stores new pictures; look at
 * them before you commit them. No view moves while it loads, and centred texts are in the middle.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { forgetRates } from '../service/store.ts'
import { settled } from './axe.ts'
import { startChecks } from './checks.ts'
import { patienceMs, startChromium } from './chromium.ts'
import { offCentre } from './page-facts.ts'
import { differentTiles, drawInBlocks, smallPicture } from './pictures.ts'
import { signIn, subscribe } from './visitor.ts'

const base = (process.env.BERTH_URL ?? 'http://127.0.0.1:8787').replace(/\/$/, '')
const folder = join(import.meta.dirname, 'views')

/** Tiles of a picture that may differ: a few words of another length, such as an amount. */
const mostTiles = 6

/** https://web.dev/articles/cls calls more than this a bad experience. */
const mostShift = 0.1

const looks = [
  { name: 'light', viewport: { width: 1280, height: 800 }, colorScheme: 'light' },
  { name: 'dark', viewport: { width: 1280, height: 800 }, colorScheme: 'dark' },
  { name: 'phone', viewport: { width: 390, height: 844 }, colorScheme: 'light' },
] as const

const views = {
  chat: '/',
  wallet: '/wallet',
  instance: '/instance',
  files: '/files',
  skills: '/skills',
  tokens: '/tokens',
  connect: '/connect',
  webhooks: '/connect?tab=webhooks',
  account: '/account',
}

const browser = await startChromium()
const visitor = await (await browser.newContext()).newPage()
const user = await (await browser.newContext()).newPage()
const tool = await browser.newPage()
for (const page of [visitor, user]) page.setDefaultTimeout(patienceMs)
const { step, that, finish } = startChecks(user, process.env.SHOTS && `${process.env.SHOTS}/views`)

const table = 'Tides:\n\n| Day | High tide | Height |\n|---|---|---|\n| Monday | 14:10 | 3.2 m |\n\n- one\n  - two'

await step('A user with a plan, a machine and a conversation', async () => {
  await signIn(user, base, `views-${Date.now()}@example.com`)
  await subscribe(user, base)
  for (const text of ['When is the tide?', table]) {
    await user.getByLabel('Message to your agent').fill(text)
    await user.keyboard.press('Enter')
    await user
      .getByRole('log')
      .locator('.message:not(.own)', { hasText: text.slice(0, 8) })
      .waitFor()
  }
})

/** Adds up the shifts of a page that nobody touches. */
const watchShifts = (page: Page) =>
  page.addInitScript(() => {
    const seen = { shift: 0 }
    Object.assign(window, { seen })
    new PerformanceObserver((list) => {
      // safe because these entries have these fields
      for (const entry of list.getEntries() as (PerformanceEntry & { value: number; hadRecentInput: boolean })[])
        if (!entry.hadRecentInput) seen.shift += entry.value
    }).observe({ type: 'layout-shift', buffered: true })
  })

async function look(page: Page, view: string, path: string): Promise<void> {
  for (const { name, viewport, colorScheme } of looks) {
    await page.setViewportSize(viewport)
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await forgetRates()
    await page.goto(`${base}${path}`)
    await settled(page)
    await page.evaluate(() => document.fonts.ready)
    const where = `${view}, ${name}`
    // safe because `watchShifts` defines it
    const shift = await page.evaluate(() => (window as unknown as { seen: { shift: number } }).seen.shift)
    that(`${where}: nothing moves while it loads (${shift.toFixed(3)})`, shift <= mostShift, shift)
    const aside = await offCentre(page)
    that(`${where}: centred texts are in the middle`, aside.length === 0, aside)
    await compare(page, where, join(folder, `${view}-${name}.png`))
  }
}

async function compare(page: Page, where: string, file: string): Promise<void> {
  const picture = await smallPicture(page, tool)
  if (process.env.VIEWS === 'write') {
    mkdirSync(folder, { recursive: true })
    writeFileSync(file, picture)
    return
  }
  const tiles = existsSync(file) ? await differentTiles(tool, picture, readFileSync(file)) : Number.POSITIVE_INFINITY
  that(`${where}: it looks as in its picture (${tiles} tiles differ)`, tiles <= mostTiles, tiles)
  const shots = process.env.SHOTS
  if (!shots || tiles <= mostTiles) return
  mkdirSync(join(shots, 'views'), { recursive: true })
  writeFileSync(join(shots, 'views', `${where.replace(', ', '-')}.png`), picture)
}

for (const page of [visitor, user]) {
  await drawInBlocks(page)
  await watchShifts(page)
}
await step('welcome', () => look(visitor, 'welcome', '/'))
for (const [view, path] of Object.entries(views)) await step(view, () => look(user, view, path))

await step('A table in a reply', async () => {
  await user.goto(base)
  const cell = user.getByRole('log').locator('.prose td').nth(1)
  await cell.waitFor()
  const align = await cell.evaluate((element) => getComputedStyle(element).textAlign)
  that('no rule of another page aligns its cells', align === 'start', align)
})

await browser.close()
process.exitCode = finish()
