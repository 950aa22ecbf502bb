import { trialPlan } from '../../domain/billing/plans.ts'
import { gibibyte, isOverPlan, planGiB, stopsForVolume } from '../../domain/instance/volume-limit.ts'
import { ofGroup } from '../../domain/notifications/letter.ts'
import { iso } from '../../domain/time.ts'
import type { Users } from '../ports/account.ts'
import type { Settings } from '../ports/basics.ts'
import type { Mail } from '../ports/notifications.ts'
import { type ChangePorts, changeInstance } from './change.ts'

/** Beyond the plan, the owner gets one e-mail, and a pause three days later; a trial is paused at once. */
export async function watchVolume(
  deps: ChangePorts & { users: Users; mail: Mail; settings: Settings },
  userId: string,
  diskBytes: number,
  nowMs: number,
): Promise<void> {
  const record = await deps.instances.find(userId)
  if (!record) return
  const before = record.overPlanSince
  const over = isOverPlan(record, diskBytes)
  const isTrial = record.plan === trialPlan.id
  // Suspended before any event or e-mail says so.
  if (over && isTrial) await changeInstance(deps, userId, 'suspend', 'billing', nowMs)
  if (over && stopsForVolume(record, nowMs)) return void (await changeInstance(deps, userId, 'pause', 'volume', nowMs))
  if (over === (before !== null)) return
  if (!over) {
    const event = deps.events.entry(userId, 'instance.changed', { fitsPlan: true })
    return void (await deps.instances.setOverPlan(userId, null, before, event))
  }
  if (!(await deps.instances.setOverPlan(userId, iso(nowMs), before))) return
  const storageGiB = planGiB(record.plan)
  await deps.events.record(userId, 'instance.volume_full', { diskBytes, storageGiB })
  const user = await deps.users.find(userId)
  if (!user) return
  const text = (isTrial ? trialText : planText)(diskBytes, storageGiB, deps.settings.publicOrigin)
  const mail = volumeMail(user.email, text)
  // An e-mail about files that will be deleted cannot be turned off.
  const letter = isTrial ? mail : ofGroup(user, 'machine', mail)
  if (letter) await deps.mail.send(letter)
}

const volumeMail = (to: string, lines: readonly string[]) => ({
  to,
  subject: 'Your agent’s volume exceeds your plan',
  text: lines.join('\n\n'),
})

const planText = (diskBytes: number, storageGiB: number, origin: string) => [
  `The volume holds ${(diskBytes / gibibyte).toFixed(1)} GiB, and your plan has ${storageGiB} GiB. If it still exceeds the plan in three days, we will pause your agent. No files will be deleted.`,
  `Delete files that you don’t need, or choose a larger plan: ${origin}/instance`,
  'We send this e-mail once, and again only if the volume has fitted your plan in between.',
]

const trialText = (diskBytes: number, storageGiB: number, origin: string) => [
  `The volume holds ${(diskBytes / gibibyte).toFixed(1)} GiB, and a trial has ${storageGiB} GiB. Your agent is stopped. Its files will be deleted when the trial ends.`,
  `A plan keeps them: ${origin}/billing`,
]
