/**
 * Hostile text of strangers, in every name and text on pages other than the chat: of clients, apps, tokens, personas,
 * skills, files, webhooks, chats, schedules, devices. The service's own answers are used, with their texts replaced by
 * the corpus. `BERTH_URL`, `SHOTS`, `CHROMIUM` as in main-job.ts.
 */
import type { Page } from 'playwright-core'
import { corpus } from '../dashboard/hostile-corpus/index.ts'
import { call, hostedUser, mintedWith, origin } from '../service/client.ts'
import { forgetRates } from '../service/store.ts'
import { watchHostile } from './hostile-watch.ts'
import { openAs } from './open-as.ts'

const user = await hostedUser(500)
const { browser, page, step, that, finish } = await openAs(user, origin, 'hostile-pages', {
  viewport: { width: 1000, height: 900 },
})
const wrong = await watchHostile(page)

/** Longer than any of our names may be, with any number of lines. */
const texts = corpus.map(({ text }) => text.slice(0, 1_000).toWellFormed()).filter((text) => text.trim() !== '')

type Item = Record<string, unknown>

/**
 * Replaces the answer of a list by an item for each text, made from the first item of the service, or from `template`.
 */
async function flood(
  address: string,
  list: string,
  fields: (text: string, index: number) => Item,
  template: Item = {},
): Promise<void> {
  await page.route(address, async (route) => {
    if (route.request().method() !== 'GET') return route.continue()
    const answer = await (await route.fetch()).json()
    const first = { ...(answer[list]?.[0] ?? {}), ...template }
    const items = texts.map((text, index) => ({
      ...first,
      ...('id' in first && { id: `${first.id}${index}` }),
      ...fields(text, index),
    }))
    await route.fulfill({ json: { ...answer, [list]: items } })
  })
}

async function isWhole(where: Page): Promise<string | null> {
  const shown = await where.evaluate(() => ({
    heading: document.querySelector('h1')?.checkVisibility() ?? false,
    broken: /This (page|part) could not be shown|Something went wrong on this page/.test(document.body.innerText),
    hostile: 'hostile' in window,
    wide: document.documentElement.scrollWidth > window.innerWidth,
    widest: [...document.querySelectorAll('body *')]
      .filter((element) => element.getBoundingClientRect().right > window.innerWidth + 1)
      .slice(0, 3)
      .map((element) => element.outerHTML.slice(0, 100)),
  }))
  const { heading, widest, ...bad } = shown
  const found = Object.entries({ ...bad, 'no heading': !heading }).filter(([, holds]) => holds)
  return found.length > 0 ? `${found.map(([what]) => what).join()}: ${widest.join(' | ')}` : null
}

/** Opens a page at three widths; each text is on it. */
async function open(path: string, items: string): Promise<void> {
  for (const width of [390, 1000]) {
    await page.setViewportSize({ width, height: 900 })
    await forgetRates()
    await page.goto(`${origin}${path}`)
    await page
      .locator(items)
      .nth(texts.length - 1)
      .waitFor({ state: 'attached' })
    const found = await isWhole(page)
    that(`${path} is complete at ${width} px, with ${texts.length} texts`, found === null, found)
  }
  await page.unrouteAll({ behavior: 'ignoreErrors' })
}

await step('Clients, apps and tokens', async () => {
  await mintedWith(user, ['mcp:*'])
  const used = { lastUsedAt: new Date().toISOString() }
  const app = (text: string) => ({ clientId: text, host: text })
  await flood('**/api/tokens', 'tokens', (text) => ({ ...used, name: text, lastClient: text }))
  await open('/connect', '.connections li')
  await flood('**/api/tokens', 'tokens', (text) => ({ ...used, name: text, lastClient: text, app: app(text) }))
  await open('/tokens', '.rows > li')
})

await step('Webhooks in both directions', async () => {
  const hook = await call('POST', '/hooks', { name: 'one', text: 'Look.' }, user)
  const url = 'http://127.0.0.1:9/berth'
  const endpoint = await call('POST', '/hooks/endpoints', { name: 'one', url, events: ['*'] }, user)
  that('each webhook exists once', hook.status < 300 && endpoint.status < 300, [hook.body, endpoint.body])
  await flood('**/api/hooks', 'hooks', (text) => ({ name: text, text, address: text }))
  await flood('**/api/hooks/endpoints', 'endpoints', (text) => ({ name: text, url: text, events: [text] }))
  await open('/connect?tab=webhooks', '.card:last-of-type .row')
})

await step('Chats on other platforms', async () => {
  const kept = { platform: 'telegram', kind: 'group', state: 'linked', conversation: 'main', home: false }
  const chat = { id: 'chn_', ...kept, createdAt: new Date().toISOString() }
  await flood('**/api/channels', 'channels', (text) => ({ title: text, person: text }), chat)
  await open('/connect?tab=channels', '.rows > li')
})

await step('Skills, with their instructions', async () => {
  await flood('**/api/skills?**', 'skills', (text) => ({
    name: text,
    description: text,
    requires: { env: [text], bins: [text] },
    missing: { env: [text], bins: [] },
  }))
  await open('/skills', '.rows > li')
  const hard = corpus.filter((_, index) => index % 40 === 0)
  for (const { name: entry, text } of hard) {
    await page.route('**/api/skills/*', async (route) => {
      const answer = await (await route.fetch()).json()
      await route.fulfill({ json: { skill: { ...answer.skill, name: text, description: text, body: text } } })
    })
    await page.goto(`${origin}/skills`)
    await page.locator('.rows > li').first().getByRole('button').last().click()
    const found = await isWhole(page)
    if (found) wrong.push(`${entry} as a skill: ${found}`)
    await page.unrouteAll({ behavior: 'ignoreErrors' })
  }
})

await step('Personas, with their texts', async () => {
  const made = await call(
    'PUT',
    '/personas/mine',
    { basedOn: 0, name: 'Mine', files: [{ path: 'SOUL.md', text: 'Be kind.' }] },
    user,
  )
  that('the persona exists once', made.status < 300, made.body)
  await flood('**/api/personas', 'personas', (text) => ({ name: text, description: text, builtIn: true }))
  await open('/personas', '.rows > li')
  for (const { name: entry, text } of corpus.filter((_, index) => index % 40 === 0)) {
    await page.route('**/api/personas/mine', async (route) => {
      const answer = await (await route.fetch()).json()
      await route.fulfill({ json: { ...answer, texts: [{ path: 'SOUL.md', text }] } })
    })
    await page.goto(`${origin}/personas?persona=mine`)
    await page
      .getByLabel(/^SOUL\.md/)
      .first()
      .waitFor()
    const found = await isWhole(page)
    if (found) wrong.push(`${entry} as a persona: ${found}`)
    await page.unrouteAll({ behavior: 'ignoreErrors' })
  }
})

await step('Files and folders', async () => {
  const file = { kind: 'file', size: 1, changedAt: new Date().toISOString() }
  await flood('**/api/instance/files*', 'entries', (text, index) => ({ name: `${index} ${text}` }), file)
  await open('/files', 'main li')
})

await step('Devices and the audit trail', async () => {
  await flood('**/api/auth/sessions', 'sessions', (text) => ({ device: text, current: false }))
  const line = { id: 'aud_', at: new Date().toISOString(), actor: { kind: 'session', id: 'ses_' } }
  await flood('**/api/account/audit?**', 'entries', (text) => ({ operation: text, record: text }), line)
  await open('/account', '.rows > li')
})

that(
  'no script ran, no other host was contacted, no policy was violated, and no page was blank',
  wrong.length === 0,
  wrong.slice(0, 20),
)
await browser.close()
process.exitCode = finish()
