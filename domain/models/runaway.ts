import { dayMs, minuteMs } from '../time.ts'
import type { ModelCall } from './dialect.ts'

/** Alike calls without a new message from the user after which they are stopped, and for how long, ms. */
export const alikeLimit = 25
export const pauseMs = 10 * minuteMs

/** Users remembered at once; the one heard of least lately is forgotten first. */
const maxUsers = 5_000
const maxKinds = 200

interface Watched {
  promptId: string | null
  sinceMs: number
  alike: Map<string, number>
  stoppedUntilMs: number
}

/** `stopped`: refuse; `stopping`: refuse and tell the user, for it is the first refusal. */
export type Verdict = 'go' | 'stopping' | 'stopped'

/**
 * Stops an agent that asks the same again and again while its user says nothing. It remembers what this process has
 * seen and costs no call to any store; the caps on spending hold across processes.
 */
export class RunawayBreaker {
  readonly #users = new Map<string, Watched>()

  /** `promptId` is the user's own message that the call answers; null when none is known. */
  judge(userId: string, call: ModelCall, promptId: string | null, nowMs: number): Verdict {
    const known = this.#users.get(userId)
    const old = !known || (promptId !== null && promptId !== known.promptId) || nowMs - known.sinceMs > dayMs
    const watched = old ? { promptId, sinceMs: nowMs, alike: new Map<string, number>(), stoppedUntilMs: 0 } : known
    this.#users.delete(userId)
    this.#users.set(userId, watched)
    if (this.#users.size > maxUsers) this.#users.delete(this.#users.keys().next().value ?? '')
    if (watched.stoppedUntilMs > nowMs) return 'stopped'
    const kind = kindOf(call)
    const count = (watched.alike.get(kind) ?? 0) + 1
    if (count > alikeLimit) {
      watched.alike.clear()
      watched.stoppedUntilMs = nowMs + pauseMs
      return 'stopping'
    }
    if (watched.alike.size >= maxKinds) watched.alike.clear()
    watched.alike.set(kind, count)
    return 'go'
  }
}

const listOf = ({ fields }: ModelCall): readonly unknown[] => {
  const list = fields.messages ?? fields.input
  return Array.isArray(list) ? list : [list]
}

/** What a call ends with, without the ids that differ every time: alike calls end alike. */
const kindOf = (call: ModelCall): string => `${call.model} ${plain(listOf(call).at(-1))}`

const ids = new Set(['id', 'call_id', 'tool_call_id', 'tool_use_id'])

const plain = (value: unknown): string =>
  JSON.stringify(value, (name, one) =>
    ids.has(name) ? undefined : typeof one === 'string' ? one.slice(0, 500) : one,
  ) ?? ''
