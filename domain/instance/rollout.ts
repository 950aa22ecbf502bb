import * as z from 'zod'
import { minuteMs } from '../time.ts'
import { quietSince } from './idle.ts'
import type { InstanceRecord, PreUpgradePoint } from './instance.ts'

/** How one image comes to the machines: who is trying it now, and how it has gone so far. */
export const rollout = z.object({
  version: z.string(),
  /** Raised by every write; a write is conditional on the one it read. */
  revision: z.int(),
  /** `halted` once it failed too many: nobody else gets it until an operator resumes it. */
  state: z.enum(['rolling', 'halted']),
  healthy: z.int(),
  /** The users for whom it failed, each with the number of trials ended by then. They keep the image they had. */
  failed: z.record(z.string(), z.int()).default({}),
  /** The current trials, with their start, ms since 1970. */
  trying: z.record(z.string(), z.number()),
})
export type Rollout = z.infer<typeof rollout>

/** How long a machine must run on a new image before that counts as healthy, ms. */
export const trialMs = 2 * minuteMs

/** A machine is given a new image after this long without activity, ms. */
const quietMs = 5 * minuteMs

/** A trial without a result by then is not waited for, ms. */
const staleMs = 30 * minuteMs

const mostAtOnce = 20

/**
 * Number of failures among the latest trials that end it. Each is another user's, because a machine that dies may have
 * been killed by its own user: one person must not decide what everybody gets.
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

/** Alone first, then as many at once as have gone well, within reason. */
const width = ({ healthy }: Rollout): number => Math.min(1 + healthy, mostAtOnce)

/**
 * With this user among those who try it; null when there is no place, or it is not given to them, or to anybody, any
 * more.
 */
export function enterRollout(rollout: Rollout, userId: string, nowMs: number): Rollout | null {
  const fresh = Object.entries(rollout.trying).filter(([who, since]) => who !== userId && nowMs - since < staleMs)
  if (rollout.state === 'halted' || rollout.failed[userId] !== undefined || fresh.length >= width(rollout)) return null
  return { ...rollout, trying: { ...Object.fromEntries(fresh), [userId]: nowMs } }
}

/** Without this user: it went well, it did not, or (null) it was not tried after all. Only who tries it has a say. */
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

/** Nobody else gets it until it is resumed; those who are trying it go on. */
export const haltRollout = (rollout: Rollout): Rollout => ({ ...rollout, state: 'halted' })

/** For everybody again, those whom it failed included. */
export const resumeRollout = (rollout: Rollout): Rollout => ({ ...rollout, state: 'rolling', failed: {} })

/** True when the instance should be given another image and nothing is in the way of a restart. */
export const wantsImage = (record: InstanceRecord, version: string, nowMs: number): boolean =>
  record.imageVersion !== version && record.previousImage === null && nowMs >= quietSince(record) + quietMs

/** The same instance on trial with a new image, and what to go back to. */
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

/** When the trial is over, ms since 1970; null for an instance that is on none. */
export const trialEnds = ({ previousImage, startedAt }: InstanceRecord): number | null =>
  previousImage === null || startedAt === null ? null : Date.parse(startedAt) + trialMs
