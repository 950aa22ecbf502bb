import type { Basics, Ports } from '../ports.ts'
import { minuteMs } from '../time.ts'
import { recordChange } from './change.ts'
import { type DrainAnswer, decideIdle, idleLimits, lookMs, quietSince } from './idle.ts'
import type { InstanceRecord } from './instance.ts'
import { transition } from './life-cycle.ts'
import { trialEnds, wantsImage } from './rollout.ts'
import { leave, upgrade } from './upgrade.ts'

export type LookPorts = Pick<
  Ports,
  'instances' | 'machines' | 'events' | 'conversations' | 'tasks' | 'rollouts' | 'restorePoints'
> &
  Pick<Basics, 'ids' | 'settings'>

/** A running machine is looked at this often in case the event that it stopped was lost, ms. */
const checkMs = 15 * minuteMs

/** Looks after a machine that runs: the end of its trial, its sleep, a new image. Losing a race leaves it to the next look. */
export async function lookAfter(deps: LookPorts, record: InstanceRecord, nowMs: number): Promise<void> {
  const trialEnd = trialEnds(record)
  if (trialEnd !== null) {
    if (nowMs < trialEnd) return later(deps, record, record, trialEnd, nowMs)
    await leave(deps, record.imageVersion, record.userId, true)
    return later(deps, { ...record, previousImage: null, before: null }, record, nowMs + lookMs, nowMs)
  }
  const due = nowMs >= quietSince(record) + idleLimits(record.plan).idleMs
  const wanting = wantsImage(record, deps.settings.imageVersion, nowMs)
  const open = (due || wanting) && (await deps.conversations.openSince(record.userId, 0))
  const decision = decideIdle(record, open, due ? await answerOf(deps, record) : 'none', nowMs)
  if (decision.do === 'stop') return sleep(deps, record, nowMs)
  if (wanting && !open && (await upgrade(deps, record, nowMs))) return
  if (decision.do === 'ask') return ask(deps, record, nowMs)
  return later(deps, record, record, decision.untilMs, nowMs)
}

/** Writes the instance and when it is looked at next. */
async function later(
  deps: LookPorts,
  next: InstanceRecord,
  record: InstanceRecord,
  untilMs: number,
  nowMs: number,
): Promise<void> {
  const deadlineMs = Math.max(Math.min(untilMs, nowMs + checkMs), nowMs + 1)
  await deps.instances.save({ ...next, deadlineMs, version: record.version + 1 }, record)
}

async function answerOf({ tasks }: LookPorts, { userId, drain }: InstanceRecord): Promise<DrainAnswer> {
  const found = drain && (await tasks.find(userId, drain.taskId))
  if (found?.state !== 'done' || found.result.kind !== 'drain') return 'none'
  const { answer, retryAfterSeconds = 60 } = found.result
  return answer === 'ready' ? 'ready' : { busyForSeconds: retryAfterSeconds }
}

/** The question is noted before it is asked, so that an answer is never to a question nobody knows. */
async function ask(deps: LookPorts, record: InstanceRecord, nowMs: number): Promise<void> {
  const drain = { askedMs: nowMs, taskId: deps.ids.next('tsk') }
  const next = { ...record, drain, deadlineMs: nowMs + lookMs, version: record.version + 1 }
  if (await deps.instances.save(next, record))
    await deps.tasks.ask(record.userId, drain.taskId, { kind: 'drain' }, nowMs)
}

async function sleep(deps: LookPorts, record: InstanceRecord, nowMs: number): Promise<void> {
  const drain = record.drain ?? { askedMs: nowMs, taskId: '' }
  const { next } = transition({ ...record, drain }, 'sleep', 'idle', nowMs)
  if (!(await deps.instances.save(next, record))) return
  await recordChange(deps, next)
  if (record.taskArn) await deps.machines.stop(record.taskArn, 'idle')
}
