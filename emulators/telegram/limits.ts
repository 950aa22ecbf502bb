import { ApiFailure } from './errors.ts'

/** Flood control: what is sent and edited in one chat counts together. Times are milliseconds. */
interface Window {
  ms: number
  most: number
}

/** Telegram's rule of one a second in a chat allows short bursts; that of twenty a minute in a group does not. */
const perChat: Window[] = [{ ms: 4_000, most: 4 }]
const perGroup: Window[] = [...perChat, { ms: 60_000, most: 20 }]
const overall: Window[] = [{ ms: 1_000, most: 30 }]

export interface FloodControl {
  /** Counts a message. @throws ApiFailure 429 with `retry_after` */
  count(chat: { id: number; type: string }): void
}

export function floodControl(now: () => number = Date.now): FloodControl {
  const sent = new Map<string, number[]>()

  /** When the next may be sent; no later than now if it may be. */
  const freeAt = (key: string, windows: Window[]) =>
    Math.max(...windows.map(({ ms, most }) => (sent.get(key)?.at(-most) ?? Number.NEGATIVE_INFINITY) + ms))

  return {
    count({ id, type }) {
      const lanes: [string, Window[]][] = [
        [String(id), type === 'private' ? perChat : perGroup],
        ['all', overall],
      ]
      const wait = Math.max(...lanes.map(([key, windows]) => freeAt(key, windows))) - now()
      if (wait > 0) {
        const seconds = Math.ceil(wait / 1000)
        throw new ApiFailure(429, `retry after ${seconds}`, { retry_after: seconds })
      }
      for (const [key] of lanes) sent.set(key, [...(sent.get(key) ?? []), now()].slice(-30))
    },
  }
}
