import type { SentObservation } from '../../domain/agent/observation.ts'
import type { CannotStartReason } from '../../domain/instance/cannot-start.ts'
import { cannotStartTexts } from '../kit/limits.ts'

/** Failures in a row without a report: they may be a short outage. */
const quietFailures = 3

interface TroubleOptions {
  observe(observation: SentObservation): Promise<{ ok: boolean }>
  /** Answers each waiting prompt. */
  answer(text: string): Promise<void>
}

/** Tells the service and waiting users that the agent does not start, and the service when it does. */
export class StartTrouble {
  readonly #options: TroubleOptions
  #failures = 0
  #reported: CannotStartReason | 'ready' | undefined

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
    if (this.#reported === what) return
    const { ok } = await this.#options.observe(observation)
    if (ok) this.#reported = what
  }
}

export const reasonOf = (code: unknown, otherwise: CannotStartReason): CannotStartReason =>
  code === 'ENOSPC' || code === 'EDQUOT' ? 'volume-full' : otherwise
