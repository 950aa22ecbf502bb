import { setTimeout as sleep } from 'node:timers/promises'

/** Maximum time for a condition on a busy machine, ms. */
const patienceMs = 60_000

/** Waits until `check` returns a truthy value, and returns that value. */
export async function until<T>(
  check: () => T | Promise<T>,
  limitMs = patienceMs,
): Promise<Exclude<T, undefined | null | false>> {
  for (const end = Date.now() + limitMs; ; await sleep(10)) {
    const value = await check()
    // safe because only a truthy value gets here, and the type leaves exactly those
    if (value) return value as Exclude<T, undefined | null | false>
    if (Date.now() > end) throw new Error(`not so within ${limitMs} ms: ${check}`)
  }
}
