import type { Plan } from '../../domain/billing/plans.ts'
import type { HookRecord } from '../../domain/hooks/hook.ts'
import type { Proof } from '../../domain/hooks/proof.ts'

/** A delivery about to be taken. */
export interface Delivery {
  hook: HookRecord
  /** Under any of these it is the same delivery when it comes again. */
  names: readonly string[]
  limits: Plan['hooks']
  /** The length of the agent's part. */
  bytes: number
  /** Milliseconds since 1970. */
  atMs: number
}

/** The outcome; `gone`: the hook was deleted or has another secret by now. */
export type Claimed = 'taken' | 'repeated' | 'too-many' | 'too-many-today' | 'gone'

/** Addresses at which others ask a user’s agent. */
export interface Hooks {
  list(userId: string): Promise<HookRecord[]>
  find(id: string): Promise<HookRecord | null>
  /** False when the user has `most` already, however many are added at once. */
  add(hook: HookRecord, most: number): Promise<boolean>
  /** Nothing when it is gone. */
  remove(hook: HookRecord): Promise<void>
  /** Gives it the next secret; false when it changed meanwhile. */
  reroll(hook: HookRecord): Promise<boolean>
  /** Whether one of these names of a delivery is known. */
  isKnown(hookId: string, names: readonly string[], nowMs: number): Promise<boolean>
  /** Does `act`, whose first write claims the delivery, counts it and notes it: all of it is written, or nothing. */
  take(delivery: Delivery, act: () => Promise<unknown>): Promise<Claimed>
  /** Notes what became of a delivery that was not taken; nothing when the hook is gone. */
  recordDelivery(id: string, lastDelivery: NonNullable<HookRecord['lastDelivery']>): Promise<void>
}

/** The inputs of a secret. */
type Secret = Pick<HookRecord, 'id' | 'secretVersion'>

/**
 * Secrets of hooks and of webhook endpoints are derived from a key of the stage when needed, and stored nowhere.
 */
export interface HookSecrets {
  /** `whsec_…`, as Standard Webhooks writes one. */
  secretOf(of: Secret): Promise<string>
  /** A signature of Standard Webhooks, `v1,…`. @param content `id.time.body` */
  sign(by: Secret, content: string): Promise<string>
  /** Whether a proof was made with it, in constant time. */
  verify(hook: Secret, proof: Proof): Promise<boolean>
}
