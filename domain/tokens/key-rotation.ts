import * as z from 'zod'
import { machineTokenTtlMs } from '../lifetimes.ts'
import { minuteMs } from '../time.ts'
import { timestamp } from '../timestamp.ts'

/**
 * How long after a rotation a function may still go by the keys it read before, ms: secrets are believed for five
 * minutes.
 */
export const keysKnownMs = 6 * minuteMs

const key = z.string().min(16)

/**
 * The keys that sign machine tokens. `rotatedAt` is the time since which the present key exists next to the previous
 * one.
 */
export const machineTokenKeys = z.object({
  current: key,
  previous: key.nullish(),
  rotatedAt: timestamp.nullish(),
})
export type MachineTokenKeys = z.infer<typeof machineTokenKeys>

/** The key that signs now: a new one only when every function has read it, so that no genuine token is ever refused. */
export const signingKey = ({ current, previous, rotatedAt }: MachineTokenKeys, nowMs: number): string =>
  previous && rotatedAt && nowMs < Date.parse(rotatedAt) + keysKnownMs ? previous : current

/** Until when what the previous key signed is good, ms since 1970: as long as any of it can live. */
export const previousUntilMs = ({ rotatedAt }: Pick<MachineTokenKeys, 'rotatedAt'>): number =>
  rotatedAt ? Date.parse(rotatedAt) + keysKnownMs + machineTokenTtlMs : Number.POSITIVE_INFINITY

/** The keys after a rotation; a leaked one becomes void at once, and its machines restart. */
export const rotatedKeys = (
  { current }: MachineTokenKeys,
  made: string,
  { at, leaked }: { at: string; leaked: boolean },
): MachineTokenKeys => (leaked ? { current: made } : { current: made, previous: current, rotatedAt: at })

/** The key that CloudFront shows to the API; during a change the previous one is also accepted. */
export const edgeKeys = z.object({ key, previous: key.nullish() })
export type EdgeKeys = z.infer<typeof edgeKeys>
