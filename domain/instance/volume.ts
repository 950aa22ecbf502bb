import { plans } from '../billing/plans.ts'
import type { Basics, Ports } from '../ports.ts'
import type { InstanceRecord } from './instance.ts'

const gibibyte = 1024 ** 3

/** A volume that was too large fits again at this part of its plan, so that one at the limit is told of once. */
const fitsAgainAt = 0.9

/** What a plan's volume may hold, GiB; an instance of a plan that is not sold any more has the smallest. */
export const planGiB = (plan: string): number => (plans.find(({ id }) => id === plan) ?? plans[0]).machine.storageGiB

/** Whether the volume is too large for its plan, from what it was before and what it holds now, bytes. */
export function isOverPlan({ plan, overPlan }: Pick<InstanceRecord, 'plan' | 'overPlan'>, diskBytes: number): boolean {
  const limit = planGiB(plan) * gibibyte
  return diskBytes > (overPlan ? limit * fitsAgainAt : limit)
}

/** Takes in how much a volume holds; its owner is told once when it has outgrown the plan. */
export async function watchVolume(
  deps: Pick<Ports, 'instances' | 'users' | 'events' | 'mail'> & Pick<Basics, 'settings'>,
  userId: string,
  diskBytes: number,
): Promise<void> {
  const record = await deps.instances.find(userId)
  if (!record) return
  const over = isOverPlan(record, diskBytes)
  if (over === record.overPlan || !(await deps.instances.setOverPlan(userId, over)) || !over) return
  const storageGiB = planGiB(record.plan)
  await deps.events.record(userId, 'instance.volume_full', { diskBytes, storageGiB })
  const user = await deps.users.find(userId)
  if (user) await deps.mail.send(volumeMail(user.email, diskBytes, storageGiB, deps.settings.publicOrigin))
}

const volumeMail = (to: string, diskBytes: number, storageGiB: number, origin: string) => ({
  to,
  subject: 'Your agent’s volume has outgrown its plan',
  text: [
    `It holds ${(diskBytes / gibibyte).toFixed(1)} GiB; your plan has ${storageGiB} GiB. Your agent keeps running.`,
    `Delete what it does not need, or take a larger plan: ${origin}/instance`,
    'You get this once; we tell you again only after it has fitted in between.',
  ].join('\n\n'),
})
