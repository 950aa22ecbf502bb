import type { SentObservation } from '../domain/agent/observation.ts'
import type { CannotStartReason } from '../domain/instance/cannot-start.ts'
import { cannotStartTexts } from './limits.ts'

/** Failures in a row without a report: a short outage explains them. */
const quietFailures = 3

interface TroubleOptions {
  observe(observation: SentObservation): Promise<{ ok: boolean }>
  /** Answers each prompt that waits. */
  answer(text: string): Promise<void>
}

/** Tells the service, and everybody who waits, that the agent does not come up, and the service that it did. */
export class StartTrouble {
  readonly #options: TroubleOptions
  #failures = 0
  /** The last report that the service accepted. */
  #told: CannotStartReason | 'ready' | undefined

  constructor(options: TroubleOptions) {
    this.#options = options
  }

  async failed(reason: CannotStartReason): Promise<void> {
    this.#failures++
    if (this.#failures <= quietFailures) return
    await this.#tell(reason, { kind: 'cannot-start', reason })
    await this.#options.answer(cannotStartTexts[reason])
  }

  async started(): Promise<void> {
    this.#failures = 0
    await this.#tell('ready', { kind: 'ready' })
  }

  async #tell(what: CannotStartReason | 'ready', observation: SentObservation): Promise<void> {
    if (this.#told === what) return
    const { ok } = await this.#options.observe(observation)
    if (ok) this.#told = what
  }
}

/** Which reason it is that a step of the start failed for. */
export const reasonOf = (code: unknown, otherwise: CannotStartReason): CannotStartReason =>
  code === 'ENOSPC' || code === 'EDQUOT' ? 'volume-full' : otherwise
