import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Waits until the page has a heading and reads nothing more, or for five seconds, for a page may listen for ever. */
export async function settled(shown: Page): Promise<void> {
  await shown.locator('h1').first().waitFor({ state: 'attached' })
  await shown.waitForLoadState('networkidle', { timeout: 5_000 }).catch(() => {})
  await shown.waitForFunction(() => !document.querySelector('.loading'))
}

/** What axe finds on the page as it is; empty when nothing was found. */
export async function violations(shown: Page): Promise<string[]> {
  await shown.evaluate(axe)
  // safe because the script above defines it
  const { violations: found } = await shown.evaluate(() =>
    (globalThis as unknown as { axe: { run(): Promise<AxeResults> } }).axe.run(),
  )
  return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 100)).join(' | ')}`)
}
