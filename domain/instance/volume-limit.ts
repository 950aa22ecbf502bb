import { planById } from '../billing/plans.ts'
import { dayMs, hourMs } from '../time.ts'
import type { InstanceRecord } from './instance.ts'

export const gibibyte = 1024 ** 3

/** A volume that was too large fits again at this part of its plan, so that one at the limit is told of once. */
const fitsAgainAt = 0.9

/** What a plan's volume may hold, GiB; an instance of a plan that is not sold any more has the smallest. */
export const planGiB = (plan: string): number => planById(plan).machine.storageGiB

/** A volume may be too large for so long before its machine is stopped, ms. */
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
