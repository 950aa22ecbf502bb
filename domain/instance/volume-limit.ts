import { planById } from '../billing/plans.ts'
import { dayMs, hourMs } from '../time.ts'
import type { InstanceRecord } from './instance.ts'

export const gibibyte = 1024 ** 3

/** An oversized volume fits again at this share of its plan, so that one near the limit is reported once. */
const fitsAgainAt = 0.9

/** A plan that is no longer sold has the smallest volume. */
export const planGiB = (plan: string): number => planById(plan).machine.storageGiB

/** Time before a machine with an oversized volume is stopped, ms. */
const graceMs = 3 * dayMs

/** Time that a machine woken later has to make room, ms. */
const cleanUpMs = hourMs

export function isOverPlan(
  { plan, overPlanSince }: Pick<InstanceRecord, 'plan' | 'overPlanSince'>,
  diskBytes: number,
): boolean {
  const limit = planGiB(plan) * gibibyte
  return diskBytes > (overPlanSince === null ? limit : limit * fitsAgainAt)
}

export function stopsForVolume({ state, overPlanSince, startedAt }: InstanceRecord, nowMs: number): boolean {
  if (state !== 'running' || overPlanSince === null || startedAt === null) return false
  return nowMs - Date.parse(overPlanSince) >= graceMs && nowMs - Date.parse(startedAt) >= cleanUpMs
}
