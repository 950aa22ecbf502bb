import type { AgentContext } from '../domain/agent/turn.ts'
import type { Answer } from './service.ts'

/** A proof is good for half an hour; from this age on another is asked for. */
const proofMs = 20 * 60_000
/** How long a runtime has to close a prompt that was stopped, before it is closed for it. */
const graceMs = 10_000

interface Turn {
  proof: string
  provenMs: number
  stopped: AbortController
  /** The trace of the request behind its prompt. */
  trace: string | undefined
}

interface TurnsOptions {
  /** Whether the runtime still has the prompt. */
  isHeld(promptId: string): boolean
  context(promptId: string): Promise<Answer<AgentContext>>
  /** Closes a prompt that was stopped and that its runtime has not closed. */
  close(promptId: string): Promise<void>
}

/**
 * The prompts under way: what proves to the service that a model call is made for one, and which of them were stopped.
 */
export class Turns {
  readonly #options: TurnsOptions
  readonly #turns = new Map<string, Turn>()

  constructor(options: TurnsOptions) {
    this.#options = options
  }

  /** A prompt was handed out, perhaps again. */
  begin(promptId: string, proof: string, trace?: string): void {
    for (const known of this.#turns.keys()) if (!this.#options.isHeld(known)) this.#turns.delete(known)
    const stopped = this.#turns.get(promptId)?.stopped ?? new AbortController()
    this.#turns.set(promptId, { proof, provenMs: Date.now(), stopped, trace })
  }

  traceOf(promptId: string): string | undefined {
    return this.#turns.get(promptId)?.trace
  }

  end(promptId: string): void {
    this.#turns.delete(promptId)
  }

  /** The turn of a model call: the one its proof names or, without a proof, the only one there is. */
  find(proof: string | undefined): string | undefined {
    const [first, second] = [...this.#turns.keys()]
    if (proof === undefined) return second === undefined ? first : undefined
    return [...this.#turns].find(([, turn]) => turn.proof === proof)?.[0]
  }

  has(promptId: string): boolean {
    return this.#turns.has(promptId)
  }

  /** The proof of a turn under way, a fresh one when it has grown old; undefined when there is no such turn. */
  async proofOf(promptId: string): Promise<string | undefined> {
    const turn = this.#turns.get(promptId)
    if (turn && Date.now() - turn.provenMs > proofMs) {
      const answer = await this.#options.context(promptId)
      if (answer.ok) Object.assign(turn, { proof: answer.body.turn, provenMs: Date.now() })
    }
    return turn?.proof
  }

  /** Another proof of a turn was given to the runtime. */
  prove(promptId: string, proof: string): void {
    const turn = this.#turns.get(promptId)
    if (turn) Object.assign(turn, { proof, provenMs: Date.now() })
  }

  /** The user wants no answer any more. */
  stop(promptId: string): void {
    const turn = this.#turns.get(promptId)
    if (!turn || turn.stopped.signal.aborted) return
    turn.stopped.abort()
    setTimeout(() => {
      if (this.#turns.get(promptId) === turn) void this.#options.close(promptId)
    }, graceMs)
  }

  /** Raised when the user wants no answer any more; undefined when there is no such turn. */
  stopOf(promptId: string): AbortSignal | undefined {
    return this.#turns.get(promptId)?.stopped.signal
  }
}
