import { cut } from '../text.ts'
import { dayMs } from '../time.ts'
import type { ModelCall } from './api-format.ts'
import { alikeLimit, repetitionPauseMs } from './call-limits.ts'

/** The user with the oldest call is forgotten first. */
const maxUsers = 5_000
const maxKinds = 200

interface Watched {
  promptId: string | null
  sinceMs: number
  counts: Map<string, number>
  pausedUntilMs: number
}

/** End of the refusals, ms since 1970; `begins`: this refusal is the first of the pause. */
interface Repetition {
  untilMs: number
  begins: boolean
}

/**
 * Stops an agent that repeats a request while its user says nothing. Knows only this process and costs no store call;
 * the caps on spending hold across processes. `promptId` is the user's message that a call answers, null when unknown;
 * `kind` is a fingerprint of similar calls, because no text is kept.
 */
export class RepetitionBreaker {
  readonly #users = new Map<string, Watched>()

  /** Null when the call is allowed. Changes nothing, because the caller may be unauthenticated. */
  check(userId: string, kind: string, promptId: string | null, nowMs: number): Repetition | null {
    const watched = this.#watched(userId, promptId, nowMs)
    if (!watched) return null
    if (watched.pausedUntilMs > nowMs) return { untilMs: watched.pausedUntilMs, begins: false }
    const count = watched.counts.get(kind) ?? 0
    return count < alikeLimit ? null : { untilMs: nowMs + repetitionPauseMs, begins: true }
  }

  count(userId: string, kind: string, promptId: string | null, nowMs: number): void {
    const watched = this.#watched(userId, promptId, nowMs) ?? {
      promptId,
      sinceMs: nowMs,
      counts: new Map<string, number>(),
      pausedUntilMs: 0,
    }
    this.#users.delete(userId)
    this.#users.set(userId, watched)
    if (this.#users.size > maxUsers) this.#users.delete(this.#users.keys().next().value ?? '')
    if (watched.counts.size >= maxKinds) watched.counts.clear()
    watched.counts.set(kind, (watched.counts.get(kind) ?? 0) + 1)
  }

  pause(userId: string, untilMs: number): void {
    const watched = this.#users.get(userId)
    if (!watched) return
    watched.counts.clear()
    watched.pausedUntilMs = untilMs
  }

  /** The recent calls since the user's last message, of a day at most. */
  #watched(userId: string, promptId: string | null, nowMs: number): Watched | null {
    const known = this.#users.get(userId)
    const over = !known || (promptId !== null && promptId !== known.promptId) || nowMs - known.sinceMs > dayMs
    return over ? null : known
  }
}

const listOf = ({ fields }: ModelCall): readonly unknown[] => {
  const list = fields.messages ?? fields.input
  return Array.isArray(list) ? list : [list]
}

/** Without the ids that differ every time: similar calls have the same end. */
export const endOf = (call: ModelCall): string => `${call.model} ${plain(listOf(call).at(-1))}`

const ids = new Set(['id', 'call_id', 'tool_call_id', 'tool_use_id'])

const plain = (value: unknown): string =>
  JSON.stringify(value, (name, field) =>
    ids.has(name) ? undefined : typeof field === 'string' ? cut(field, 500) : field,
  ) ?? ''
