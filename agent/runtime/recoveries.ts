import { setTimeout as sleep } from 'node:timers/promises'

/** An error the service (or the loopback in front of it) answered. Status 502 also stands for a broken connection. */
export class ServiceError extends Error {
  override name = 'ServiceError'
  readonly status: number
  readonly retryAfterSeconds: number | null

  constructor(status: number, code: string, retryAfterSeconds: number | null = null) {
    super(code)
    this.status = status
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** We were told to stop while we waited; the turn stays open for the next machine. */
export class Stopped extends Error {
  override name = 'Stopped'
}

export interface Tries {
  limited: number
  provider: number
  internal: number
}

const providerWaits = [4, 8, 16, 32]
const mostLimited = 10

/** Seconds to wait before the same call is made again, or null when it has failed for good. Counts the try. */
export function waitAfter(error: ServiceError, tries: Tries): number | null {
  if (error.status === 429) return tries.limited++ < mostLimited ? (error.retryAfterSeconds ?? 5) : null
  if (error.status > 500) return providerWaits[tries.provider++] ?? null
  if (error.status === 500) return tries.internal++ === 0 ? 1 : null
  return null
}

export type Pause = (seconds: number) => Promise<void>

/** Waits that end early, as `Stopped`, when the machine is told to stop. */
export const pauses =
  (scale: number, stopped: AbortSignal): Pause =>
  async (seconds) => {
    await sleep(seconds * 1000 * scale, undefined, { signal: stopped }).catch(() => {
      throw new Stopped()
    })
  }

/** Makes a call under the service's recoveries: 429 as told, 502 after 4, 8, 16, 32 s, 500 once. @throws ServiceError, Stopped */
export async function withRecoveries<T>(attempt: () => Promise<T>, pause: Pause): Promise<T> {
  const tries: Tries = { limited: 0, provider: 0, internal: 0 }
  for (;;) {
    try {
      return await attempt()
    } catch (thrown) {
      const seconds = thrown instanceof ServiceError ? waitAfter(thrown, tries) : null
      if (seconds === null) throw thrown
      await pause(seconds)
    }
  }
}
