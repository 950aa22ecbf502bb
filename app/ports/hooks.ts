import type { Plan } from '../../domain/billing/plans.ts'
import type { HookRecord } from '../../domain/hooks/hook.ts'
import type { Proof } from '../../domain/hooks/proof.ts'
import type { Part } from './part.ts'

export interface Delivery {
  hook: HookRecord
  /** A delivery with any of these names is a repetition. */
  names: readonly string[]
  limits: Plan['hooks']
  /** The bytes of the agent's prompt. */
  bytes: number
  /** ms since 1970. */
  atMs: number
}

/** `gone`: the hook was deleted or has another secret by now. */
export type ClaimRefusal = 'repeated' | 'too-many' | 'too-many-today' | 'gone'

/** Addresses at which other services reach a user’s agent. */
export interface Hooks {
  list(userId: string): Promise<HookRecord[]>
  find(id: string): Promise<HookRecord | null>
  /** False when the user already has `most`, also under concurrency. */
  add(hook: HookRecord, most: number, ...also: Part[]): Promise<boolean>
  /** False when the hook is gone. */
  remove(hook: HookRecord, ...also: Part[]): Promise<boolean>
  /** Stores the next secret's version; false when the hook changed meanwhile. */
  reroll(hook: HookRecord, ...also: Part[]): Promise<boolean>
  isKnown(hookId: string, names: readonly string[], nowMs: number): Promise<boolean>
  /** Claims, counts and records the delivery as part of another write. */
  claim(delivery: Delivery): Part
  /** Why the claim refused a write. */
  refusalOf(delivery: Delivery): Promise<ClaimRefusal>
  /** Records the result of a delivery that was not taken; no effect when the hook is gone. */
  recordDelivery(id: string, lastDelivery: NonNullable<HookRecord['lastDelivery']>): Promise<void>
}

type Secret = Pick<HookRecord, 'id' | 'secretVersion'>

/**
 * Secrets of hooks and of webhook endpoints are derived from a key of the stage when needed, and stored nowhere.
 */
export interface HookSecrets {
  /** `whsec_…`, the form of Standard Webhooks. */
  secretOf(of: Secret): Promise<string>
  /** A signature of Standard Webhooks, `v1,…`. @param content `id.time.body` */
  sign(by: Secret, content: string): Promise<string>
  /** Compares in constant time. */
  verify(hook: Secret, proof: Proof): Promise<boolean>
}
