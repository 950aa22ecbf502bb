import { setTimeout as sleep } from 'node:timers/promises'
import type { Settings } from './settings.ts'

const timeoutMs = 10_000
const tries = 4

/** Reads from Discord's API, waiting as long as it asks. @throws an error with the status, or without an answer */
export async function getDiscord(
  { apiBase, botToken }: Pick<Settings, 'apiBase' | 'botToken'>,
  path: string,
  signal: AbortSignal,
): Promise<unknown> {
  for (let attempt = 1; ; attempt += 1) {
    const answer = await fetch(`${apiBase}/api/v10${path}`, {
      headers: { authorization: `Bot ${botToken}`, 'user-agent': 'DiscordBot (https://berth.example, 1.0)' },
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    })
    const json: unknown = await answer.json().catch(() => null)
    if (answer.ok) return json
    if (answer.status !== 429 || attempt === tries) throw new StatusError(answer.status)
    const { retry_after: seconds } = Object(json) as { retry_after?: unknown } // safe because it is unknown
    await sleep(typeof seconds === 'number' ? Math.ceil(seconds * 1000) : 1000, undefined, { signal })
  }
}

class StatusError extends Error {
  readonly status: number
  constructor(status: number) {
    super(`Discord answered ${status}`)
    this.status = status
  }
}
