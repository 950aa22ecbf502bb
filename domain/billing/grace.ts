import { shards } from '../ids.ts'
import { changeInstance } from '../instance/change.ts'
import type { Ports } from '../ports.ts'
import { dayMs, iso } from '../time.ts'
import { filesDeleted, filesWaiting } from './mails.ts'
import { isLive } from './plans.ts'

/** Files of an ended subscription are kept for this many days, and their owner is warned on these. */
export const graceDays = 30
export const warnOnDays = [0, 20, 27] as const

/** The files of an ended subscription, on their way to deletion. */
export interface Grace {
  userId: string
  subscriptionId: string
  /** ISO 8601 UTC. */
  endedAt: string
  /** How many warnings were sent. */
  warned: number
  /** When the next thing is due, ms since 1970. */
  dueMs: number
}

export const newGrace = (userId: string, subscriptionId: string, nowMs: number): Grace => ({
  userId,
  subscriptionId,
  endedAt: iso(nowMs),
  warned: 0,
  dueMs: nowMs,
})

export type GraceStep = { do: 'wait' } | { do: 'warn'; daysLeft: number; nextMs: number } | { do: 'delete' }

/** Nobody's files go unwarned: however late the look, each warning leaves the time that it promises. */
export function decideGrace({ endedAt, warned, dueMs }: Grace, nowMs: number): GraceStep {
  if (dueMs > nowMs) return { do: 'wait' }
  const day = warnOnDays[warned]
  if (day === undefined) return { do: 'delete' }
  const daysLeft = graceDays - day
  const next = warnOnDays[warned + 1] ?? graceDays
  const late = Math.max(0, nowMs - (Date.parse(endedAt) + day * dayMs))
  return { do: 'warn', daysLeft, nextMs: Date.parse(endedAt) + next * dayMs + late }
}

export type GracePorts = Pick<Ports, 'graces' | 'users' | 'instances' | 'bus' | 'events' | 'mail'> &
  Pick<Ports, 'settings'>

/** Warns of and does what is due. @throws AggregateError of what failed, after everybody had a turn */
export async function sweepGraces(deps: GracePorts, nowMs: number): Promise<void> {
  const all = Array.from({ length: shards }, (_, shard) => deps.graces.due(shard, nowMs))
  const due = (await Promise.all(all)).flat()
  const results = []
  for (const userId of due) results.push(...(await Promise.allSettled([followGrace(deps, userId, nowMs)])))
  const reasons = results.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
  if (reasons.length > 0) throw new AggregateError(reasons, `${reasons.length} of ${due.length} ended subscriptions`)
}

async function followGrace(deps: GracePorts, userId: string, nowMs: number): Promise<void> {
  const [grace, user] = await Promise.all([deps.graces.find(userId), deps.users.find(userId)])
  if (!grace) return
  if (!user || isLive(user.subscription)) return deps.graces.end(userId)
  const step = decideGrace(grace, nowMs)
  if (step.do === 'warn') {
    // Mailed before it is noted: a second copy is better than none.
    const deletedAt = iso(nowMs + step.daysLeft * dayMs)
    await deps.mail.send(filesWaiting(user.email, step.daysLeft, deletedAt, deps.settings.publicOrigin))
    await deps.graces.advance(grace, grace.warned + 1, step.nextMs)
  }
  if (step.do === 'delete') {
    const record = await deps.instances.find(userId)
    if (record && record.state !== 'deleted') await changeInstance(deps, userId, 'delete', 'billing', nowMs)
    await deps.mail.send(filesDeleted(user.email))
    await deps.graces.end(userId)
  }
}
