import { setTimeout as sleep } from 'node:timers/promises'

/** How long a condition may take on a machine that is busy with other things, ms. */
const patienceMs = 60_000

/** Waits until `check` answers something truthy, and answers that. */
export async function until<T>(
  check: () => T | Promise<T>,
  limitMs = patienceMs,
): Promise<Exclude<T, undefined | null | false>> {
  for (const end = Date.now() + limitMs; ; await sleep(10)) {
    const value = await check()
    // safe because only a truthy value gets here, and those are what the type leaves
    if (value) return value as Exclude<T, undefined | null | false>
    if (Date.now() > end) throw new Error(`not so within ${limitMs} ms: ${check}`)
  }
}
