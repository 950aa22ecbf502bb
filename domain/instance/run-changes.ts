import { iso } from '../time.ts'
import type { InstanceRecord, State } from './instance.ts'
import { type EndReason, endReasons, newRun, type StoredRun } from './run.ts'

/** States in which the agent's machine may exist. */
const withMachine: readonly State[] = ['provisioning', 'resuming', 'running', 'pausing', 'refreshing', 'deleting']

type Runs = Pick<InstanceRecord, 'run' | 'lastRun'>

/**
 * The run that is under way. Null also for an instance whose run a release without runs has ended meanwhile, because
 * its end is unknown.
 */
export const openRun = ({ run, state, generation }: InstanceRecord): StoredRun | null =>
  run?.generation === generation && withMachine.includes(state) ? run : null

/** `after` a step of the life cycle, with the run that the step began, continued or ended. */
export function withRuns(before: InstanceRecord, after: InstanceRecord, nowMs: number): InstanceRecord {
  const open = openRun(before)
  if (open && withMachine.includes(after.state) && after.generation === before.generation)
    return { ...after, run: continued(open, after, nowMs) }
  const lastRun = open ? ended(open, before, after, nowMs) : before.lastRun
  const starts = after.generation > before.generation && (after.state === 'provisioning' || after.state === 'resuming')
  const startMs = notBefore(lastRun?.endedAt ?? null, nowMs)
  return { ...after, lastRun, run: starts ? newRun(after.generation, after.reason, startMs) : null }
}

const continued = (open: StoredRun, { state }: InstanceRecord, nowMs: number): StoredRun =>
  state === 'running' && open.readyAt === null ? { ...open, readyAt: iso(notBefore(open.requestedAt, nowMs)) } : open

const ended = (open: StoredRun, before: InstanceRecord, after: InstanceRecord, nowMs: number): StoredRun => ({
  ...open,
  endedAt: iso(notBefore(open.readyAt ?? open.requestedAt, nowMs)),
  endReason: endReasonOf(before, after),
  failureCode: after.state === 'failed' ? (after.failure?.code ?? null) : null,
})

/** The clock of the function that wrote `at` may be ahead. */
const notBefore = (at: string | null, nowMs: number): number => (at === null ? nowMs : Math.max(nowMs, Date.parse(at)))

/** `after`, with the failure that its host reported, also in the run that it ended. */
export function withFailure(
  before: InstanceRecord,
  after: InstanceRecord,
  failure: NonNullable<InstanceRecord['failure']>,
): InstanceRecord {
  const lastRun =
    after.lastRun && hasEnded(before, after) ? { ...after.lastRun, failureCode: failure.code } : after.lastRun
  return { ...after, failure, lastRun }
}

/** Whether a write ends a run, `after.lastRun`. */
export const hasEnded = (before: Runs | null, after: Runs): boolean =>
  after.lastRun !== null && after.lastRun.generation !== before?.lastRun?.generation

function endReasonOf(before: InstanceRecord, after: InstanceRecord): EndReason {
  if (before.state === 'deleting') return 'deleted'
  if (after.state === 'failed') return 'failure'
  // A message that came while the machine fell asleep replaces the reason.
  if (before.state === 'pausing' || before.state === 'refreshing')
    return endReasons.find((known) => known === before.reason) ?? 'idle'
  return after.reason === 'host' ? 'host' : 'crash'
}
