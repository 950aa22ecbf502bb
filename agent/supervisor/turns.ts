import type { AgentContext } from '../../domain/agent/turn.ts'
import type { Refusal } from '../kit/refusal.ts'
import type { Answer } from '../kit/service.ts'

/** A proof is valid for half an hour; an older one than this is renewed. */
const proofMs = 20 * 60_000
/** Time for a runtime to close a stopped prompt, before the supervisor does. */
const graceMs = 10_000

interface Turn {
  proof: string
  provenMs: number
  stopped: AbortController
  /** The trace of the request that made the prompt. */
  trace: string | undefined
  /** The error of its last model call; null after one that succeeded. */
  refusal: Refusal | null
}

interface TurnsOptions {
  isHeld(promptId: string): boolean
  context(promptId: string): Promise<Answer<AgentContext>>
  /** Closes a stopped prompt that its runtime did not close. */
  close(promptId: string): Promise<void>
}

/** The turns under way: their proofs, which let model calls be paid, and their stop signals. */
export class Turns {
  readonly #options: TurnsOptions
  readonly #turns = new Map<string, Turn>()

  constructor(options: TurnsOptions) {
    this.#options = options
  }

  begin(promptId: string, proof: string, trace?: string): void {
    for (const known of this.#turns.keys()) if (!this.#options.isHeld(known)) this.#turns.delete(known)
    const stopped = this.#turns.get(promptId)?.stopped ?? new AbortController()
    this.#turns.set(promptId, { proof, provenMs: Date.now(), stopped, trace, refusal: null })
  }

  traceOf(promptId: string): string | undefined {
    return this.#turns.get(promptId)?.trace
  }

  end(promptId: string): void {
    this.#turns.delete(promptId)
  }

  /** The turn of a model call: by its proof or, without one, the only turn. */
  find(proof: string | undefined): string | undefined {
    const [first, second] = [...this.#turns.keys()]
    if (proof === undefined) return second === undefined ? first : undefined
    return [...this.#turns].find(([, turn]) => turn.proof === proof)?.[0]
  }

  has(promptId: string): boolean {
    return this.#turns.has(promptId)
  }

  /** A valid proof of a turn under way; undefined without such a turn. */
  async proofOf(promptId: string): Promise<string | undefined> {
    const turn = this.#turns.get(promptId)
    if (turn && Date.now() - turn.provenMs > proofMs) {
      const answer = await this.#options.context(promptId)
      if (answer.ok) Object.assign(turn, { proof: answer.body.turn, provenMs: Date.now() })
    }
    return turn?.proof
  }

  /** Adds a proof that the runtime received. */
  prove(promptId: string, proof: string): void {
    const turn = this.#turns.get(promptId)
    if (turn) Object.assign(turn, { proof, provenMs: Date.now() })
  }

  stop(promptId: string): void {
    const turn = this.#turns.get(promptId)
    if (!turn || turn.stopped.signal.aborted) return
    turn.stopped.abort()
    setTimeout(() => {
      if (this.#turns.get(promptId) === turn) void this.#options.close(promptId)
    }, graceMs)
  }

  noteRefusal(promptId: string, refusal: Refusal | null): void {
    const turn = this.#turns.get(promptId)
    if (turn) turn.refusal = refusal
  }

  refusalOf(promptId: string): Refusal | null {
    return this.#turns.get(promptId)?.refusal ?? null
  }

  /** Raised when the user stops the reply; undefined without such a turn. */
  stopOf(promptId: string): AbortSignal | undefined {
    return this.#turns.get(promptId)?.stopped.signal
  }
}
