import { createHash } from 'node:crypto'
import { type DomainError, rateLimited } from '../../domain/errors.ts'
import type { LimitClass } from '../../domain/rates/rate-limits.ts'

const unknownMs = 30_000
const maxRemembered = 10_000

/** The kind is a prefix, because callers of one kind can send values that name callers of another. */
export type Subject = `${'pat' | 'session' | 'machine' | 'anonymous' | 'user'}#${string}`

/** Recent refusals of this function instance, so that a flood of refused requests costs no store calls. */
export class DenyCache {
  readonly #denials = new Map<string, { untilMs: number; unknown: DomainError | null }>()

  /** @throws unauthorized, rate-limited when the subject was refused and the refusal still holds */
  check(limit: LimitClass, subject: Subject, nowMs: number): void {
    // The cache is mostly empty, and hashing is the most expensive part of the check.
    if (this.#denials.size === 0) return
    const hash = hashOf(subject)
    const denial = this.#denials.get(key('', hash)) ?? this.#denials.get(key(limit, hash))
    if (!denial || denial.untilMs <= nowMs) return
    throw denial.unknown ?? rateLimited(Math.max(1, Math.ceil((denial.untilMs - nowMs) / 1000)))
  }

  rememberUnknown(subject: Subject, nowMs: number, unknown: DomainError): void {
    this.#remember(key('', hashOf(subject)), nowMs + unknownMs, unknown)
  }

  rememberLimited(limit: LimitClass, subject: Subject, untilMs: number): void {
    this.#remember(key(limit, hashOf(subject)), untilMs, null)
  }

  #remember(id: string, untilMs: number, unknown: DomainError | null): void {
    if (this.#denials.size >= maxRemembered) this.#denials.delete(this.#denials.keys().next().value ?? '')
    this.#denials.set(id, { untilMs, unknown })
  }
}

const hashOf = (subject: Subject) => createHash('sha256').update(subject).digest('base64')
const key = (limit: string, hash: string) => `${limit}#${hash}`
