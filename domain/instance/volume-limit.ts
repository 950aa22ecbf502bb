import { planById } from '../billing/plans.ts'
import { dayMs, hourMs } from '../time.ts'
import type { InstanceRecord } from './instance.ts'

export const gibibyte = 1024 ** 3

/**
 * A volume that was too large fits again at this part of its plan, so that a volume near the limit is reported once.
 */
const fitsAgainAt = 0.9

/** The plan's volume size, GiB; an instance of a plan that is no longer sold has the smallest. */
export const planGiB = (plan: string): number => planById(plan).machine.storageGiB

/** The time for which a volume may be too large before its machine is stopped, ms. */
const graceMs = 3 * dayMs

/** A machine that was woken after that has so long to make room, ms. */
const cleanUpMs = hourMs

/** Whether the volume is too large for its plan, from what it was before and what it holds now, bytes. */
export function isOverPlan(
  { plan, overPlanSince }: Pick<InstanceRecord, 'plan' | 'overPlanSince'>,
  diskBytes: number,
): boolean {
  const limit = planGiB(plan) * gibibyte
  return diskBytes > (overPlanSince === null ? limit : limit * fitsAgainAt)
}

/** Whether a machine whose volume is still too large is stopped now. */
export function stopsForVolume({ state, overPlanSince, startedAt }: InstanceRecord, nowMs: number): boolean {
  if (state !== 'running' || overPlanSince === null || startedAt === null) return false
  return nowMs - Date.parse(overPlanSince) >= graceMs && nowMs - Date.parse(startedAt) >= cleanUpMs
}
