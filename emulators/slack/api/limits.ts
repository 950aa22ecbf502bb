/** How often a method may be called, as Slack documents it: so often a minute for a workspace, and one message a second in a channel. */
import { TooMany } from './error.ts'

/** Calls a minute of each tier, at the least. */
const tiers = { 1: 1, 2: 20, 3: 50, 4: 100 } as const
export type Tier = keyof typeof tiers | 'posting' | 'none'

const minuteMs = 60_000
/** Messages that may come at once in a channel before they are counted by the second. */
const burst = 3

export class Limits {
  readonly #calls = new Map<string, number[]>()
  readonly #now: () => number

  constructor(now: () => number) {
    this.#now = now
  }

  /** Counts a call. @throws TooMany */
  count(tier: Tier, method: string, team: string, channel: string): void {
    if (tier === 'none') return
    if (tier === 'posting') this.#within(`${team} ${channel}`, burst, burst * 1000)
    else this.#within(`${team} ${method}`, tiers[tier], minuteMs)
  }

  #within(key: string, most: number, windowMs: number): void {
    const now = this.#now()
    const recent = (this.#calls.get(key) ?? []).filter((at) => at > now - windowMs)
    const first = recent[0]
    if (recent.length >= most && first !== undefined)
      throw new TooMany(Math.max(1, Math.ceil((first + windowMs - now) / 1000)))
    recent.push(now)
    this.#calls.set(key, recent)
  }
}
