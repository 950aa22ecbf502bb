/** Counts passed and failed checks, and keeps a picture of each step. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'

interface Checks {
  /** Checks a fact; a false one is reported and the run continues. */
  that(what: string, holds: boolean, seen?: unknown): void
  /** One step of the job; when it throws, later steps are skipped. */
  step(name: string, work: () => Promise<void>): Promise<void>
  /** A picture of the current page. */
  shoot(name: string): Promise<void>
  /** Prints the counts and returns the exit code. */
  finish(): number
}

/** The text that a person sees, on one line. */
async function textOf(page: Page): Promise<string> {
  const text = await page.innerText('body', { timeout: 2_000 }).catch((error: Error) => error.message)
  return text.replaceAll(/\s+/g, ' ').slice(0, 1_000)
}

export function startChecks(page: Page, folder: string | undefined): Checks {
  let passed = 0
  let failed = 0
  let stopped = false
  let shots = 0
  if (folder) mkdirSync(folder, { recursive: true })
  const shoot = async (name: string) => {
    if (!folder) return
    const file = `${String(++shots).padStart(2, '0')}-${name.replaceAll(/[^a-z0-9]+/gi, '-').toLowerCase()}.png`
    await page.screenshot({ path: join(folder, file), fullPage: true })
  }

  return {
    that(what, holds, seen) {
      if (holds) passed++
      else failed++
      const detail = holds || seen === undefined ? '' : ` (saw ${JSON.stringify(seen)})`
      console.log(`${holds ? '  ok  ' : '  FAIL'} ${what}${detail}`)
    },
    async step(name, work) {
      if (stopped) {
        console.log(`${name}: not tried`)
        return
      }
      console.log(name)
      const startedMs = Date.now()
      try {
        await work()
        passed++
        console.log(`  done in ${((Date.now() - startedMs) / 1_000).toFixed(1)} s`)
      } catch (error) {
        failed++
        stopped = true
        console.log(`  FAIL ${error instanceof Error ? error.message : String(error)}`)
        console.log(`       at ${page.url()}, which shows: ${await textOf(page)}`)
      }
      await shoot(name).catch(() => {})
    },
    shoot,
    finish() {
      console.log(`${passed} passed, ${failed} failed`)
      return failed === 0 ? 0 : 1
    },
  }
}
