/**
 * Hostile text of strangers, in every place of the chat that shows it. `BERTH_URL`, `SHOTS`, `CHROMIUM` as in
 * main-job.ts. The service's answers are replaced by hostile ones, since a page has to withstand those; a part of them
 * passes through the whole service.
 */
import type { Page, Route } from 'playwright-core'
import { corpus, type Entry } from '../dashboard/hostile-corpus/index.ts'
import { call, hostedUser, origin } from '../service/client.ts'
import { watchHostile } from './hostile-watch.ts'
import { openAs } from './open-as.ts'

const user = await hostedUser(500)
const { browser, context, page, step, that, finish } = await openAs(user, origin, 'hostile', {
  viewport: { width: 1000, height: 900 },
})

const wrong = await watchHostile(page)

const idAt = (prefix: string, at: number) => `${prefix}_01KAHB2N3P4Q5R6S7T8V9W${String(at).padStart(4, '0')}`
const at = '2026-11-20T12:00:00.000Z'
const json = (body: unknown) => (route: Route) => route.fulfill({ json: body as object })

/** A message by the user and one by the agent for each entry, with a file of its name. */
const messagesOf = (entries: readonly Entry[]) =>
  entries.flatMap(({ text }, index) => [
    { id: idAt('msg', index * 2), role: 'user', text, conversation: 'main', channel: 'web', at },
    {
      id: idAt('msg', index * 2 + 1),
      role: 'agent',
      text,
      conversation: 'main',
      channel: 'web',
      at,
      inReplyTo: idAt('msg', index * 2),
      attachments: [{ id: idAt('att', index), name: text.slice(0, 200) || 'x', type: 'text/html', bytes: 1 }],
    },
  ])

async function isWhole(where: Page): Promise<boolean> {
  const shown = await where.evaluate(() => ({
    field: document.querySelector('#message')?.checkVisibility() ?? false,
    broken: document.body.innerText.includes('This page could not be shown'),
    hostile: 'hostile' in window,
    sideways: document.documentElement.scrollWidth > window.innerWidth,
  }))
  return shown.field && !shown.broken && !shown.hostile && !shown.sideways
}

const together = 25

await step(`${corpus.length} texts as messages, replies and file names`, async () => {
  const slow: string[] = []
  for (let from = 0; from < corpus.length; from += together) {
    const entries = corpus.slice(from, from + together)
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await page.route('**/api/chat/messages?**', json({ messages: messagesOf(entries), more: false, questions: [] }))
    await page.goto(origin)
    await page.getByRole('log').locator('article').first().waitFor({ state: 'attached' })
    const log = page.locator('.log-scroll')
    for (const [index, { name: entry }] of entries.entries()) {
      const begun = Date.now()
      await log.evaluate((frame, part) => frame.scrollTo(0, frame.scrollHeight * part), 1 - index / entries.length)
      await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
      if (Date.now() - begun > 3_000) slow.push(`${entry}: ${Date.now() - begun} ms`)
    }
    if (!(await isWhole(page))) wrong.push(`the page was not whole at ${entries[0]?.name}`)
  }
  that('no text kept the page busy for more than 3 s', slow.length === 0, slow)
})

await step('As titles, steps, questions and search results', async () => {
  const lines = corpus.map(({ text }) => text.trim().slice(0, 120)).filter((text) => text !== '')
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  const asked = { id: idAt('msg', 1), role: 'user', text: 'hello', conversation: 'main', channel: 'web', at }
  const questions = lines.slice(0, 30).map((text, index) => ({
    id: idAt('qst', index),
    promptId: null,
    text,
    answer: 'choose',
    choices: [text.slice(0, 100), 'other'],
    tool: text.slice(0, 64),
    arguments: { text },
    state: 'open',
    askedAt: at,
    expiresAt: new Date(Date.now() + 3_600_000).toISOString(),
  }))
  const conversations = lines.map((title, index) => ({
    id: idAt('cnv', index),
    title,
    startedBy: 'agent',
    archived: false,
    pinned: false,
    unread: false,
    model: null,
    createdAt: at,
    lastMessageAt: at,
  }))
  const steps = lines.map((target, index) => ({ id: `${index}`, tool: target.slice(0, 64), state: 'finished', target }))
  const found = lines.map((excerpt, index) => ({
    id: idAt('msg', index),
    role: 'agent',
    conversation: 'main',
    at,
    excerpt,
  }))
  await page.route('**/api/chat/messages?**', json({ messages: [asked], more: false, questions }))
  await page.route(
    '**/api/chat/conversations?**',
    json({ conversations, main: { unread: false, model: null }, nextCursor: null }),
  )
  await page.route(
    '**/activities',
    json({ activities: steps, isWhole: true, ended: { outcome: 'failed', note: lines[0] } }),
  )
  await page.route('**/api/chat/search?**', json({ found, searchedTo: at, nextCursor: null }))
  await page.goto(`${origin}/?conversation=${idAt('cnv', 3)}`)
  await page.goto(origin)
  await page.getByRole('button', { name: /^Show \d+ earlier/ }).click()
  await page.getByRole('button', { name: /^Conversation:/ }).click()
  await page.getByLabel('Search titles and messages').fill('hostile')
  await page.getByLabel('Search titles and messages').press('Enter')
  await page.getByText(`${found.length} messages.`).waitFor()
  await page.keyboard.press('Escape')
  if (!(await isWhole(page))) wrong.push('the page was not whole')
})

await step('As growing replies', async () => {
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  const asked = { id: idAt('msg', 1), role: 'user', text: 'hello', conversation: 'main', channel: 'web', at }
  await page.route('**/api/chat/messages?**', json({ messages: [asked], more: false, questions: [] }))
  const entries = corpus.filter(({ text }, index) => text.length > 2_000 || index % 6 === 0)
  let draft = 0
  let say = (_: string) => {}
  await page.routeWebSocket(/\/socket$/, (socket) => {
    say = (text) => {
      draft += 1
      for (let from = 0; from < text.length; from += Math.max(1, Math.ceil(text.length / 8)))
        socket.send(
          JSON.stringify({
            type: 'text',
            promptId: idAt('prm', 1),
            draft,
            from,
            text: text.slice(from, from + Math.max(1, Math.ceil(text.length / 8))),
          }),
        )
    }
    socket.onMessage((message) => {
      const { action } = JSON.parse(String(message))
      if (action === 'resume') socket.send(JSON.stringify({ type: 'resumed', upTo: idAt('evt', 1) }))
    })
  })
  await page.goto(origin)
  await page.locator('.pending-reply').waitFor()
  for (const { name: entry, text } of entries) {
    say(`${text}\n\nthe end of ${entry}`)
    const frames = page.evaluate(() => new Promise((done) => setTimeout(() => requestAnimationFrame(done), 60)))
    const answered = await Promise.race([
      frames.then(() => true),
      new Promise((done) => setTimeout(done, 5_000, false)),
    ])
    if (!answered) wrong.push(`a growing ${entry} took the page longer than 5 s`)
    if (!(await isWhole(page))) wrong.push(`the page was not whole at ${entry}`)
  }
  that('the texts were shown', (await page.locator('.pending-reply .message-text').textContent()) !== '')
})

await step('Through the whole service', async () => {
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  const own = await context.newPage()
  await page.close()
  const started = await call('POST', '/chat/conversations', { title: '<img src=x onerror=window.hostile=1>' }, user)
  const conversation = started.body.conversation.id
  const real = corpus.filter(({ text }, index) => index % 31 === 0 && text.trim() !== '' && text.length < 30_000)
  for (const { text } of real) await call('POST', '/chat/messages', { text, conversation }, user)
  await own.goto(`${origin}/?conversation=${conversation}`)
  await own.getByRole('log').locator('article').first().waitFor()
  const replies = async () => {
    const { body } = await call('GET', `/chat/messages?conversation=${conversation}&limit=100`, undefined, user)
    return body.messages.filter(({ role }: { role: string }) => role === 'agent').length
  }
  for (let tries = 0; tries < 120 && (await replies()) < real.length; tries++)
    await new Promise((resolve) => setTimeout(resolve, 500))
  that('each text was answered', (await replies()) === real.length, [await replies(), real.length])
  if (!(await isWhole(own))) wrong.push('the page was not whole')
  await own.getByText('<img src=x onerror=window.hostile=1>').first().waitFor()
})

that(
  'no script ran, no other host was contacted, no policy was violated, and no page was blank',
  wrong.length === 0,
  wrong.slice(0, 20),
)
await browser.close()
process.exitCode = finish()
