import * as z from 'zod'
import { minuteMs } from '../time.ts'
import { quietSince } from './idle.ts'
import type { InstanceRecord, PreUpgradePoint } from './instance.ts'

export const rollout = z.object({
  version: z.string(),
  /** Raised by every write; a write is conditional on the one it read. */
  revision: z.int(),
  /** `halted` after too many failures: nobody else gets the image until an operator resumes it. */
  state: z.enum(['rolling', 'halted']),
  healthy: z.int(),
  /** Users for whom it failed, with the number of trials ended by then. They keep their image. */
  failed: z.record(z.string(), z.int()).default({}),
  /** Current trials by user, with their start, ms since 1970. */
  trying: z.record(z.string(), z.number()),
})
export type Rollout = z.infer<typeof rollout>

/** A machine that ran this long on a new image is healthy, ms. */
export const trialMs = 2 * minuteMs

/** A machine gets a new image after this long without activity, ms. */
const quietMs = 5 * minuteMs

/** A trial without a result is ignored after this time, ms. */
const staleMs = 30 * minuteMs

const mostAtOnce = 20

/**
 * Failures among the latest trials that halt a rollout. Each is another user's, because users can kill their own
 * machine.
 */
const latestTrials = 50
const failuresToHalt = 5

export const newRollout = (version: string): Rollout => ({
  version,
  revision: 0,
  state: 'rolling',
  healthy: 0,
  failed: {},
  trying: {},
})

/** One user first, then as many at once as have succeeded. */
const width = ({ healthy }: Rollout): number => Math.min(1 + healthy, mostAtOnce)

/** Null when there is no place for the user, the image failed for them, or the rollout is halted. */
export function enterRollout(rollout: Rollout, userId: string, nowMs: number): Rollout | null {
  const fresh = Object.entries(rollout.trying).filter(([who, since]) => who !== userId && nowMs - since < staleMs)
  if (rollout.state === 'halted' || rollout.failed[userId] !== undefined || fresh.length >= width(rollout)) return null
  return { ...rollout, trying: { ...Object.fromEntries(fresh), [userId]: nowMs } }
}

/** @param healthy null if the image was not tried after all */
export function leaveRollout(rollout: Rollout, userId: string, healthy: boolean | null): Rollout {
  if (rollout.trying[userId] === undefined) return rollout
  const { [userId]: _, ...trying } = rollout.trying
  if (healthy === null) return { ...rollout, trying }
  if (healthy) return { ...rollout, trying, healthy: rollout.healthy + 1 }
  const trials = rollout.healthy + Object.keys(rollout.failed).length + 1
  const failed = { ...rollout.failed, [userId]: trials }
  const latest = Object.values(failed).filter((at) => at > trials - latestTrials)
  return { ...rollout, trying, failed, state: latest.length >= failuresToHalt ? 'halted' : rollout.state }
}

export const haltRollout = (rollout: Rollout): Rollout => ({ ...rollout, state: 'halted' })

/** Also for users with a failed trial. */
export const resumeRollout = (rollout: Rollout): Rollout => ({ ...rollout, state: 'rolling', failed: {} })

export const wantsImage = (record: InstanceRecord, version: string, nowMs: number): boolean =>
  record.imageVersion !== version && record.previousImage === null && nowMs >= quietSince(record) + quietMs

export const onTrial = (
  record: InstanceRecord,
  version: string,
  preUpgradePoint: PreUpgradePoint | null,
): InstanceRecord => ({
  ...record,
  preUpgradePoint,
  previousImage: record.imageVersion,
  imageVersion: version,
})

/** Ms since 1970; null without a trial. */
export const trialEnds = ({ previousImage, startedAt }: InstanceRecord): number | null =>
  previousImage === null || startedAt === null ? null : Date.parse(startedAt) + trialMs
