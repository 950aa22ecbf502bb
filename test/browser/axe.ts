import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Waits until the page has a heading and loads nothing more, or for five seconds, since a page may stream forever. */
export async function settled(shown: Page): Promise<void> {
  await shown.locator('h1').first().waitFor({ state: 'attached' })
  await shown.waitForLoadState('networkidle', { timeout: 5_000 }).catch(() => {})
  await shown.waitForFunction(() => !document.querySelector('.loading'))
}

/** Waits for the end of all transitions: a colour that is changing has too little contrast for a moment. */
const still = (shown: Page): Promise<unknown> =>
  shown.evaluate(() =>
    Promise.all(
      document
        .getAnimations()
        .filter(({ effect }) => effect?.getComputedTiming().iterations === 1)
        .map(({ finished }) => finished.catch(() => {})),
    ).then(() => {}),
  )

/** The violations that axe finds on the current page; empty when there are none. */
export async function violations(shown: Page): Promise<string[]> {
  await still(shown)
  await shown.evaluate(axe)
  // safe because the script above defines it
  const { violations: found } = await shown.evaluate(() =>
    (globalThis as unknown as { axe: { run(): Promise<AxeResults> } }).axe.run(),
  )
  return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 100)).join(' | ')}`)
}
