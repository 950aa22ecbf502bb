import * as z from 'zod'
import { machineTokenTtlMs } from '../lifetimes.ts'
import { minuteMs } from '../time.ts'
import { timestamp } from '../timestamp.ts'

/** Functions cache secrets for five minutes: the time after a rotation in which one may still use the old keys, ms. */
const keysKnownMs = 6 * minuteMs

const key = z.string().min(16)

/** The keys that sign machine tokens. `rotatedAt`: since when both keys exist. */
export const machineTokenKeys = z.object({
  current: key,
  previous: key.nullish(),
  rotatedAt: timestamp.nullish(),
})
export type MachineTokenKeys = z.infer<typeof machineTokenKeys>

/** Signs with a new key only after every function has read it, so that no genuine token is refused. */
export const signingKey = ({ current, previous, rotatedAt }: MachineTokenKeys, nowMs: number): string =>
  previous && rotatedAt && nowMs < Date.parse(rotatedAt) + keysKnownMs ? previous : current

/** End of the life of every token that the previous key signed, ms since 1970. */
export const previousUntilMs = ({ rotatedAt }: Pick<MachineTokenKeys, 'rotatedAt'>): number =>
  rotatedAt ? Date.parse(rotatedAt) + keysKnownMs + machineTokenTtlMs : Number.POSITIVE_INFINITY

/** The keys after a rotation. A leaked key becomes void at once, and machines with its tokens restart. */
export const rotatedKeys = (
  { current }: MachineTokenKeys,
  made: string,
  { at, leaked }: { at: string; leaked: boolean },
): MachineTokenKeys => (leaked ? { current: made } : { current: made, previous: current, rotatedAt: at })

/** CloudFront shows this key to the API; during a change the API also accepts the previous one. */
export const edgeKeys = z.object({ key, previous: key.nullish() })
export type EdgeKeys = z.infer<typeof edgeKeys>
