import { plans } from '../billing/plans.ts'
import type { Basics, Ports } from '../ports.ts'
import { dayMs, hourMs, iso } from '../time.ts'
import { type ChangePorts, changeInstance } from './change.ts'
import type { InstanceRecord } from './instance.ts'

const gibibyte = 1024 ** 3

/** A volume that was too large fits again at this part of its plan, so that one at the limit is told of once. */
const fitsAgainAt = 0.9

/** What a plan's volume may hold, GiB; an instance of a plan that is not sold any more has the smallest. */
export const planGiB = (plan: string): number => (plans.find(({ id }) => id === plan) ?? plans[0]).machine.storageGiB

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

/** Takes in how much a volume holds: its owner is told once when it has outgrown the plan, and three days later it is paused. */
export async function watchVolume(
  deps: Pick<Ports, 'instances' | 'users' | 'events' | 'mail'> & ChangePorts & Pick<Basics, 'settings'>,
  userId: string,
  diskBytes: number,
  nowMs: number,
): Promise<void> {
  const record = await deps.instances.find(userId)
  if (!record) return
  const before = record.overPlanSince
  const over = isOverPlan(record, diskBytes)
  if (over && stopsForVolume(record, nowMs)) return void (await changeInstance(deps, userId, 'pause', 'volume', nowMs))
  if (over === (before !== null)) return
  if (!(await deps.instances.setOverPlan(userId, over ? iso(nowMs) : null, before)) || !over) return
  const storageGiB = planGiB(record.plan)
  await deps.events.record(userId, 'instance.volume_full', { diskBytes, storageGiB })
  const user = await deps.users.find(userId)
  if (user) await deps.mail.send(volumeMail(user.email, diskBytes, storageGiB, deps.settings.publicOrigin))
}

const volumeMail = (to: string, diskBytes: number, storageGiB: number, origin: string) => ({
  to,
  subject: 'Your agent’s volume has outgrown its plan',
  text: [
    `It holds ${(diskBytes / gibibyte).toFixed(1)} GiB; your plan has ${storageGiB} GiB. Your agent is paused in three days if it still does not fit; nothing is deleted.`,
    `Delete what it does not need, or take a larger plan: ${origin}/instance`,
    'You get this once; we tell you again only after it has fitted in between.',
  ].join('\n\n'),
})
