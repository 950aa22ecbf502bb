/**
 * Diagrams and folds in replies: Mermaid is drawn as an image by a sandboxed frame, hostile diagrams run and request
 * nothing, and a broken one stays a text. `BERTH_URL`, `SHOTS`, `CHROMIUM` as in main-job.ts.
 */
import { startChecks } from './checks.ts'
import { patienceMs, startChromium } from './chromium.ts'
import { obstacles } from './page-facts.ts'
import { signIn, subscribe } from './visitor.ts'

const base = (process.env.BERTH_URL ?? 'http://127.0.0.1:8787').replace(/\/$/, '')

const browser = await startChromium()
const page = await browser.newPage()
page.setDefaultTimeout(patienceMs)
const { step, that, shoot, finish } = startChecks(page, process.env.SHOTS && `${process.env.SHOTS}/diagrams`)

const complaints: string[] = []
const frames: (string | null)[] = []
page.on('pageerror', (error) => complaints.push(error.message))
page.on('dialog', (dialog) => {
  complaints.push(`a dialog: ${dialog.message()}`)
  void dialog.dismiss()
})
page.on('request', (request) => {
  if (!request.url().startsWith(base) && !/^(blob|data):/.test(request.url())) complaints.push(`asked ${request.url()}`)
})
page.on('frameattached', async (frame) => {
  const element = await frame.frameElement().catch(() => null)
  frames.push((await element?.getAttribute('sandbox').catch(() => null)) ?? null)
})

const lastReply = page.getByRole('log').locator('.message:not(.own)').last()

/** The stand-in model repeats the text. */
async function say(text: string): Promise<void> {
  await page.getByLabel('Message to your agent').fill(`Look:\n\n${text}\n\nThat is ${text.length}.`)
  await page.keyboard.press('Enter')
  await page
    .getByRole('log')
    .locator('.message:not(.own)', { hasText: `That is ${text.length}."` })
    .waitFor()
}

const fenced = (diagram: string) => `\`\`\`mermaid\n${diagram}\n\`\`\``

await step('Sign in and subscribe', async () => {
  await signIn(page, base, `diagrams-${Date.now()}@example.com`)
  await subscribe(page, base)
})

await step('A flowchart is drawn as an image', async () => {
  await say(fenced('graph TD; A[Wake] --> B{Message?}; B -->|yes| C[Answer]'))
  const image = lastReply.getByRole('img', { name: 'Diagram (graph)' })
  await image.waitFor()
  that('it has a size', ((await image.boundingBox())?.height ?? 0) > 50)
  that('its source can be unfolded', (await lastReply.getByText('Source').count()) === 1)
  that(
    'the frame that drew it may only run scripts',
    frames.length > 0 && frames.every((it) => it === 'allow-scripts'),
    frames,
  )
  const found = await obstacles(page)
  that('it is no obstacle for keyboard or screen reader', found.length === 0, found)
  await shoot('flowchart')
})

// From public reports: coder/coder#29306 (an image node requests its address), CVE-2025-54881 (labels as HTML).
const hostile = [
  'flowchart TD\n  A@{ img: "https://evil.example/leak.png", label: "x", w: 60, h: 60 } --> B',
  'graph TD\n  A["<img src=x onerror=alert(1)>"] --> B\n  click B "javascript:alert(2)"',
  '%%{init: {"securityLevel": "loose", "themeCSS": "* { background: url(https://evil.example/css) }"}}%%\ngraph LR; A-->B',
]
for (const [at, diagram] of hostile.entries())
  await step(`Hostile diagram ${at + 1}`, async () => {
    await say(fenced(diagram))
    await lastReply.locator('img.diagram, .code-block > pre').first().waitFor()
    await page.waitForTimeout(2_000)
  })

await step('A broken diagram stays a text, and a fold unfolds', async () => {
  await say(`${fenced('graph TD; A-->')}\n\n<details>\n<summary>Answer</summary>\nAt **noon**.\n</details>`)
  await lastReply.getByText('graph TD; A-->').waitFor()
  that('the fold is closed', !(await lastReply.getByText('noon').isVisible()))
  await lastReply.getByText('Answer', { exact: true }).click()
  await lastReply.getByText('noon').waitFor()
})

that('nothing ran, and no other host was contacted', complaints.length === 0, complaints)
await browser.close()
process.exitCode = finish()
