import { notFound } from '../../domain/errors.ts'
import { dailyMs } from '../../domain/files/restore-point.ts'
import { type Sample, samplesShownMs } from '../../domain/instance/metrics.ts'
import { iso, secondMs } from '../../domain/time.ts'
import { requestRestorePoint, type StoragePorts } from '../files/restore-points.ts'
import { finishTask } from '../files/volume-jobs.ts'
import type { ChangePorts } from '../instance/change.ts'
import { watchVolume } from '../instance/volume-limit.ts'
import type { Users } from '../ports/account.ts'
import type { Settings } from '../ports/basics.ts'
import type { Conversations } from '../ports/chat.ts'
import type { Metrics } from '../ports/instance.ts'
import type { Mail } from '../ports/notifications.ts'
import type { Leases } from '../ports/rates.ts'
import { stoppedOf } from './prompt-reports.ts'
import type { Report, Reporter } from './reporter.ts'

export type MachinePorts = StoragePorts &
  ChangePorts & {
    conversations: Conversations
    leases: Leases
    mail: Mail
    metrics: Metrics
    settings: Settings
    users: Users
  }

export async function noteHeartbeat(deps: MachinePorts, reporter: Reporter, report: Report<'heartbeat'>) {
  const { userId, generation, now } = reporter
  const prompt = report.promptId ? await deps.conversations.renewLease(userId, report.promptId, generation, now) : null
  if (report.busy) await deps.instances.touch(userId, iso(now), 'nobody')
  const samples = samplesOf(report, now)
  const last = samples.at(-1)
  if (last) {
    await deps.metrics.record(userId, samples)
    await watchVolume(deps, userId, last.diskBytes, now)
  }
  const stopped = report.promptId && !prompt ? { stopped: true as const } : stoppedOf(prompt)
  if (!report.samples) return stopped
  // An idle machine sends only such a heartbeat for a while.
  await requestDailyPoint(deps, reporter)
  return { ...stopped, work: await deps.conversations.untaken(userId, generation, now) }
}

/** The useful measurements of a heartbeat: none older than the shown range, and none from a clock that is ahead. */
function samplesOf({ measured, samples = [] }: Report<'heartbeat'>, now: number): Sample[] {
  const shown = samples.filter(({ at }) => now - Date.parse(at) < samplesShownMs && Date.parse(at) <= now + secondMs)
  return [...shown, ...(measured ? [{ ...measured, at: iso(now) }] : [])]
}

/** A machine asks for its daily restore point; the service decides whether one is due. */
export async function requestDailyPoint(deps: MachinePorts, { userId, instanceId, now }: Reporter) {
  const points = await deps.restorePoints.list(userId)
  const fresh = points.some(({ state, createdAt }) => state !== 'failed' && now - Date.parse(createdAt) < dailyMs)
  if (!fresh) await requestRestorePoint(deps, { id: instanceId, userId }, 'daily', now)
}

/** @throws not-found when the task is not the reporter's */
export async function noteTask(deps: MachinePorts, { now, ...machine }: Reporter, report: Report<'task'>) {
  const { userId, generation } = machine
  const outcome = report.result ?? report.failure
  const leased = outcome
    ? await deps.tasks.findLeased(userId, report.taskId, generation)
    : await deps.tasks.renewLease(userId, report.taskId, generation, now)
  if (outcome && leased && leased !== true) await finishTask(deps, machine, leased, outcome, now)
  // A repeated report of an end finds no open task; a report about another user's task is refused.
  if (!leased && !(outcome && (await deps.tasks.find(userId, report.taskId)))) throw notFound('open task')
}
