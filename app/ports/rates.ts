import type { Counts, LimitClass } from '../../domain/rates/rate-limits.ts'
import type { WindowOwner } from '../../domain/rates/window-owner.ts'
import type { Part } from './part.ts'

/** The record and its counts, or why the request was refused. For a machine, `unknown` is a generation that is over. */
export type Admission<T> =
  | { admitted: true; record: T; counts: Counts }
  | { admitted: false; because: 'unknown' }
  | { admitted: false; because: 'limited'; counts: Counts }

export interface Rates {
  /** Counts a request in its owner's window, or refuses it. */
  admit(owner: WindowOwner, limit: LimitClass, nowMs: number): Promise<Admission<null>>
}

export interface Slots {
  max: number
  /** A slot that was not renewed for this long is free, ms. */
  ttlMs: number
  /** A newcomer may take a slot held for longer than this, ms; without it, none. */
  evictAfterMs?: number
  /** The slot's client (no hyphens): at the limit, its own oldest slot is replaced at any age. */
  client?: string
  /** The slot's holder (letters and digits): its own earlier slot is replaced at any age. */
  holder?: string
}

export interface Leases {
  /** A slot's id, or the seconds until the next try. */
  acquire(
    subject: string,
    slots: Slots,
    nowMs: number,
  ): Promise<{ acquired: true; id: string } | { acquired: false; retryAfterSeconds: number }>
  /** False when the slot was lost to another holder. */
  renew(subject: string, id: string, slots: Pick<Slots, 'ttlMs'>, nowMs: number): Promise<boolean>
  /** False when nobody held the slot. */
  release(subject: string, id: string): Promise<boolean>
  isHeld(subject: string, nowMs: number): Promise<boolean>
}

/** Clients' idempotency keys, each stored for a day with the request's hash and its encrypted answer. */
export interface IdempotencyKeys {
  find(id: string, nowMs: number): Promise<{ request: string; answer: string | null } | null>
  /** Claims the key as part of another write. If the key is claimed already, the write throws `conflict`. */
  claim(key: { id: string; request: string }, nowMs: number): Part
  keep(key: { id: string; request: string }, answer: string, nowMs: number): Promise<void>
}
