import { deadlineOf } from '../../domain/instance/deadlines-and-retries.ts'
import { checkIntervalMs, type DrainAnswer, decideIdle, idleFrom } from '../../domain/instance/idle.ts'
import type { InstanceRecord } from '../../domain/instance/instance.ts'
import { transition } from '../../domain/instance/life-cycle.ts'
import { trialEnds, wantsImage } from '../../domain/instance/rollout.ts'
import type { Conversations } from '../ports/chat.ts'
import { type PushPorts, pushWork } from '../socket/push.ts'
import { recordChange } from './change.ts'
import { reportTrial, type UpgradePorts, upgrade } from './upgrade.ts'

export type CheckPorts = UpgradePorts & PushPorts & { conversations: Conversations }

/** Checks the end of a trial, missed work, sleep and a new image. A lost race is left to the next check. */
export async function checkRunning(deps: CheckPorts, record: InstanceRecord, nowMs: number): Promise<void> {
  const trialEnd = trialEnds(record)
  if (trialEnd !== null) {
    if (nowMs < trialEnd) return checkLater(deps, record, record, trialEnd, nowMs)
    await reportTrial(deps, record.imageVersion, record.userId, true)
    return checkLater(
      deps,
      { ...record, previousImage: null, preUpgradePoint: null },
      record,
      nowMs + checkIntervalMs,
      nowMs,
    )
  }
  const untaken = await deps.conversations.untaken(record.userId, record.generation, nowMs)
  if (untaken) await pushWork(deps, record.userId)
  const due = nowMs >= idleFrom(record)
  const wanting = wantsImage(record, deps.settings.imageVersion, nowMs)
  const open = (due || wanting) && (await deps.conversations.openSince(record.userId, 0))
  const decision = decideIdle(record, open, due ? await drainAnswer(deps, record) : 'none', nowMs)
  if (decision.do === 'stop') return sleep(deps, record, nowMs)
  if (wanting && !open && (await upgrade(deps, record, nowMs))) return
  if (decision.do === 'ask') return requestDrain(deps, record, nowMs)
  const untilMs = untaken ? Math.min(decision.untilMs, nowMs + checkIntervalMs) : decision.untilMs
  return checkLater(deps, record, record, untilMs, nowMs)
}

async function checkLater(
  deps: CheckPorts,
  next: InstanceRecord,
  record: InstanceRecord,
  untilMs: number,
  nowMs: number,
): Promise<void> {
  const deadlineMs = Math.max(Math.min(untilMs, nowMs + deadlineOf.running), nowMs + 1)
  await deps.instances.save({ ...next, deadlineMs, version: record.version + 1 }, record)
}

async function drainAnswer({ tasks }: CheckPorts, { userId, drain }: InstanceRecord): Promise<DrainAnswer> {
  const found = drain && (await tasks.find(userId, drain.taskId))
  if (found?.state !== 'done' || found.result.kind !== 'drain') return 'none'
  const { answer, retryAfterSeconds = 60 } = found.result
  return answer === 'ready' ? 'ready' : { busyForSeconds: retryAfterSeconds }
}

/** Stores the question before the machine gets it, so that every answer has a known question. */
async function requestDrain(deps: CheckPorts, record: InstanceRecord, nowMs: number): Promise<void> {
  const drain = { askedMs: nowMs, taskId: deps.ids.next('tsk') }
  const next = { ...record, drain, deadlineMs: nowMs + checkIntervalMs, version: record.version + 1 }
  if (await deps.instances.save(next, record))
    await deps.tasks.addOwn(record.userId, drain.taskId, { kind: 'drain' }, nowMs)
}

async function sleep(deps: CheckPorts, record: InstanceRecord, nowMs: number): Promise<void> {
  const drain = record.drain ?? { askedMs: nowMs, taskId: '' }
  const { next } = transition({ ...record, drain }, 'sleep', 'idle', nowMs)
  if (!(await deps.instances.save(next, record))) return
  await recordChange(deps, next)
  if (record.taskArn) await deps.machines.stop(record.taskArn, 'idle')
}
