import type { IncomingHttpHeaders } from 'node:http'
import { type Audience, audiences } from './environment.ts'

interface Held {
  value: string
  /** When this value was received, ms since 1970. */
  sinceMs: number
  triedMs: number
}

/**
 * The machine's three tokens. Any response of an audience may carry a fresh one in X-Machine-Token, which replaces
 * the old at once; when none came by half of a token's life, that audience is due for a call that fetches one.
 */
export class Tokens {
  readonly #held: Record<Audience, Held>
  readonly #lifeMs: number

  constructor(first: Record<Audience, string>, lifeMs: number, nowMs: number) {
    const hold = (value: string): Held => ({ value, sinceMs: nowMs, triedMs: nowMs })
    this.#held = { llm: hold(first.llm), files: hold(first.files), agent: hold(first.agent) }
    this.#lifeMs = lifeMs
  }

  bearer(audience: Audience): string {
    return `Bearer ${this.#held[audience].value}`
  }

  take(audience: Audience, headers: IncomingHttpHeaders, nowMs: number): void {
    const fresh = headers['x-machine-token']
    if (typeof fresh === 'string' && fresh !== '')
      this.#held[audience] = { value: fresh, sinceMs: nowMs, triedMs: nowMs }
  }

  /** Audiences to renew now; each is named again only after a sixtieth of a token's life. */
  due(nowMs: number): Audience[] {
    const due = audiences.filter((one) => {
      const { sinceMs, triedMs } = this.#held[one]
      return nowMs - sinceMs >= this.#lifeMs / 2 && nowMs - triedMs >= this.#lifeMs / 60
    })
    for (const one of due) this.#held[one].triedMs = nowMs
    return due
  }
}
