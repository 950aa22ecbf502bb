/** Several conversations in a browser. `BERTH_URL`, `SHOTS`, `CHROMIUM` as in main-job.ts. */
import { ask, call, hostedUser, origin } from '../service/client.ts'
import { openAs } from './open-as.ts'
import { obstacles } from './page-facts.ts'

const user = await hostedUser(500)
const { browser, page, complaints, step, that, finish } = await openAs(user, origin, 'conversations', {
  viewport: { width: 1000, height: 800 },
})
const log = page.getByRole('log')
const menu = page.getByRole('button', { name: /^Conversation:/ })
const list = page.getByRole('navigation', { name: 'Conversations' })
const field = page.getByLabel('Message to your agent')

await step('Chat in the main conversation', async () => {
  await page.goto(origin)
  await field.fill('We sail on Friday.')
  await field.press('Enter')
  await log.getByText('We sail on Friday.').nth(1).waitFor()
  await field.fill('a draft of the main one')
})

await step('Start another conversation', async () => {
  await menu.press('Enter')
  const found = await obstacles(page)
  that('the page has no obstacle for keyboard or screen reader', found.length === 0, found)
  await page.getByRole('button', { name: 'New conversation' }).press('Enter')
  await page.getByRole('heading', { name: 'A conversation of its own' }).waitFor()
  that('the new conversation has no draft of the other', (await field.inputValue()) === '')
  await field.fill('When is Lisbon warm?')
  await field.press('Enter')
  await log.getByText('When is Lisbon warm?').nth(1).waitFor()
  that('the new conversation shows no message of the other', (await log.getByText('We sail on Friday.').count()) === 0)
  await page.getByRole('button', { name: 'Conversation: When is Lisbon warm?' }).waitFor()
})

await step('Switch between conversations', async () => {
  const there = page.url()
  await page.goBack()
  await log.getByText('We sail on Friday.').first().waitFor()
  that('the draft is restored', (await field.inputValue()) === 'a draft of the main one')
  that('the other conversation is not shown', (await log.getByText('When is Lisbon warm?').count()) === 0)
  const conversation = new URL(there).searchParams.get('conversation')
  await call('POST', '/chat/messages', { text: 'And in May?', conversation }, user)
  await page.getByText('New elsewhere').waitFor()
  that('a reply in another conversation is not shown here', (await log.getByText('And in May?').count()) === 0)
  await menu.click()
  await list.getByRole('link', { name: /^When is Lisbon warm\?.*New/ }).click()
  await log.getByText('And in May?').nth(1).waitFor()
  await page.getByText('New elsewhere').waitFor({ state: 'detached' })
})

await step('View the cost of a reply', async () => {
  await log.getByRole('button', { name: 'Details and cost' }).last().click()
  const details = log.getByRole('status').last()
  await details.getByText(/for 1 model call of local\/echo/).waitFor()
  that('the page shows an amount', /\$0\.\d+/.test((await details.textContent()) ?? ''), await details.textContent())
})

await step('Rename, archive and restore', async () => {
  const act = async (title: string, action: string) => {
    await menu.click()
    await page.getByRole('button', { name: `Actions for ${title}` }).click()
    await page.getByRole('button', { name: action, exact: true }).click()
  }
  await act('When is Lisbon warm?', 'Rename')
  await page.getByLabel('Title', { exact: true }).fill('Trip to Lisbon')
  await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click()
  await page.getByRole('button', { name: 'Conversation: Trip to Lisbon' }).waitFor()
  await act('Trip to Lisbon', 'Archive')
  await list.getByText('Archived').click()
  await list.getByRole('link', { name: 'Trip to Lisbon' }).waitFor()
  await page.keyboard.press('Escape')
  await field.fill('And in June?')
  await field.press('Enter')
  await log.getByText('And in June?').nth(1).waitFor()
  await page.reload()
  await log.getByText('And in June?').nth(1).waitFor()
  await menu.click()
  await list.getByRole('link', { name: 'Trip to Lisbon' }).waitFor()
  that('the conversation is restored', (await list.getByText('Archived').count()) === 0)
  const found = await obstacles(page)
  that('the page has no obstacle for keyboard or screen reader', found.length === 0, found)
})

const windows = [
  [320, 480],
  [360, 740],
  [844, 390],
  [768, 1024],
  [1280, 800],
  [1920, 1080],
  [2560, 1440],
  [3840, 2160],
] as const

await step('Open a long conversation at its newest message, in any window', async () => {
  for (let i = 1; i <= 14; i++)
    await ask(user, `Day ${i}.\n\n${'The tide is high at noon, and low at six. '.repeat((i * 7) % 30)}`)
  const newest = log.getByText('Day 14.').nth(1)
  const fromEnd = () =>
    page
      .locator('.log-scroll')
      .evaluate(({ scrollHeight, scrollTop, clientHeight }) => scrollHeight - scrollTop - clientHeight)
  for (const [width, height] of windows) {
    await page.setViewportSize({ width, height })
    await page.goto(origin)
    await newest.waitFor()
    // Messages get their final heights within some frames, which moves everything below them.
    await page.waitForFunction(() => document.fonts.status === 'loaded' && performance.now() > 2_000)
    const left = await fromEnd()
    that(`it opens at its end at ${width} × ${height}`, left < 60, left)
    await page.setViewportSize({ width, height: Math.round(height * 0.8) })
    await page.waitForFunction(() => new Promise((done) => setTimeout(() => done(true), 300)))
    const narrower = await fromEnd()
    that(`it stays at the end when the window of ${width} × ${height} shrinks`, narrower < 60, narrower)
    await page.locator('.log-scroll').press('PageUp')
    await page.waitForFunction(() => new Promise((done) => setTimeout(() => done(true), 300)))
    const away = await fromEnd()
    that(`a reader can scroll away from the end at ${width} × ${height}`, away > 60, away)
    await page.locator('.to-end').click()
    await page.waitForFunction(() => new Promise((done) => setTimeout(() => done(true), 300)))
    const top = await page.locator('.log-scroll').evaluate(async (frame) => {
      const inner = frame.querySelector<HTMLElement>('.log-inner')
      if (inner) inner.style.paddingBottom = '80px'
      frame.scrollTo(0, 0)
      await new Promise((done) => setTimeout(done, 300))
      if (inner) inner.style.paddingBottom = ''
      return frame.scrollTop
    })
    that(`the log at ${width} × ${height} does not take back a reader while it grows`, top === 0, top)
    await page.locator('.to-end').click()
    await page.waitForFunction(() => new Promise((done) => setTimeout(() => done(true), 700)))
    // The log grows in each frame, as with a fast reply, while a reader turns the wheel slowly.
    const uncovered = await page.locator('.log-scroll').evaluate((frame) => {
      const { x, y, width, height } = frame.getBoundingClientRect()
      const points = Array.from({ length: height / 5 }, (_, i) => ({ x: x + width / 2, y: y + i * 5 }))
      const free = points.filter((point) => frame.contains(document.elementFromPoint(point.x, point.y)))
      return free[Math.floor(free.length / 2)]
    })
    that(`some of the log at ${width} × ${height} is uncovered`, uncovered !== undefined)
    if (uncovered) await page.mouse.move(uncovered.x, uncovered.y)
    await page.evaluate(() => {
      const reply = document.createElement('div')
      reply.id = 'growing'
      document.querySelector('.log-inner')?.append(reply)
      let pixels = 0
      const grow = () => {
        pixels += 2
        reply.style.height = `${pixels}px`
        if (pixels < 500) requestAnimationFrame(grow)
      }
      grow()
    })
    for (let i = 0; i < 20; i++) {
      await page.mouse.wheel(0, -10)
      await page.waitForFunction(() => new Promise((done) => setTimeout(() => done(true), 50)))
    }
    await page.waitForFunction(() => new Promise((done) => setTimeout(() => done(true), 700)))
    const escaped = await fromEnd()
    that(`a slow wheel at ${width} × ${height} leaves the end of a growing log`, escaped > 60, escaped)
    await page.evaluate(() => document.querySelector('#growing')?.remove())
  }
})

await step('On a phone, and in the dark', async () => {
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.setViewportSize({ width: 360, height: 740 })
  await page.reload()
  await menu.click()
  await list.getByRole('link', { name: 'Main' }).waitFor()
  const found = await obstacles(page)
  that('the page has no obstacle for keyboard or screen reader', found.length === 0, found)
})

that('the browser reported no errors', complaints.length === 0, complaints)
await browser.close()
process.exitCode = finish()
