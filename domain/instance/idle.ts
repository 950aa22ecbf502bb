import { planById } from '../billing/plans.ts'
import { iso, minuteMs, secondMs } from '../time.ts'
import type { InstanceRecord } from './instance.ts'

/** Times without activity until a machine is asked to sleep, and until it is stopped whatever it answers, ms. */
interface IdleLimits {
  idleMs: number
  ceilingMs: number
}

/** Time awake after work that nobody waits for, such as a schedule's turn, ms. */
export const unattendedIdleMs = 2 * minuteMs

export function idleLimits(plan: string): IdleLimits {
  const { minutes, ceilingMinutes } = planById(plan).idle
  return { idleMs: minutes * minuteMs, ceilingMs: ceilingMinutes * minuteMs }
}

/** Time for the answer whether a machine is ready to sleep, ms; without an answer it stays awake. */
const answerMs = 3 * minuteMs

/** Interval of reading the answer, ms: the sweep's own pace. */
export const checkIntervalMs = minuteMs

/** A busy machine names the wait until the next question, within these bounds, ms. */
const retryBoundsMs = [minuteMs, 15 * minuteMs] as const

/** Largest difference of two functions' clocks, ms. */
const skewMs = 5 * secondMs
/** Anything but an answer counts as doubt. */
export type DrainAnswer = 'none' | 'ready' | { busyForSeconds: number }

/** Last activity that the control plane saw, ms since 1970. */
export const quietSince = ({ lastActivityAt, startedAt, createdAt }: InstanceRecord): number =>
  Math.max(...[lastActivityAt, startedAt, createdAt].map((at) => (at === null ? 0 : Date.parse(at))))

/** Time awake after a start, ms; short after a schedule's start, because nobody is there. */
export const idleAfterStartMs = ({ plan, wokenBy }: Pick<InstanceRecord, 'plan' | 'wokenBy'>): number =>
  wokenBy === 'schedule' ? unattendedIdleMs : idleLimits(plan).idleMs

/** Time to ask a machine to sleep, ms since 1970: long after a person's activity, soon after all else. */
export function idleFrom(record: InstanceRecord): number {
  const { lastActivityAt, attendedAt, startedAt, createdAt, plan } = record
  const after = (at: string | null, ms: number) => (at === null ? 0 : Date.parse(at) + ms)
  const { idleMs } = idleLimits(plan)
  return Math.max(
    after(attendedAt ?? createdAt, idleMs),
    after(lastActivityAt, unattendedIdleMs),
    after(startedAt, idleAfterStartMs(record)),
  )
}

export const idleStopAt = (record: InstanceRecord): string | null =>
  record.state === 'running' ? iso(idleFrom(record)) : null

type IdleDecision = { do: 'wait'; untilMs: number } | { do: 'ask' } | { do: 'stop'; because: 'ready' | 'ceiling' }

/**
 * The machine's answer decides, and doubt keeps it awake up to its plan's ceiling.
 * @param open whether a prompt waits for the machine or is leased
 */
export function decideIdle(record: InstanceRecord, open: boolean, answer: DrainAnswer, nowMs: number): IdleDecision {
  const { idleMs, ceilingMs } = idleLimits(record.plan)
  const quiet = quietSince(record)
  const wait = (untilMs: number): IdleDecision => ({ do: 'wait', untilMs: Math.min(untilMs, quiet + ceilingMs) })
  const idleFromMs = idleFrom(record)
  if (nowMs < idleFromMs) return wait(idleFromMs)
  if (nowMs >= quiet + ceilingMs) return { do: 'stop', because: 'ceiling' }
  if (open) return wait(nowMs + answerMs)
  const { drain } = record
  if (!drain || drain.askedMs < quiet) return { do: 'ask' }
  // An old answer that nobody read in time says nothing of now.
  if (answer === 'ready') return nowMs < drain.askedMs + 2 * answerMs ? { do: 'stop', because: 'ready' } : { do: 'ask' }
  const patience = answer === 'none' ? answerMs : retryMs(answer.busyForSeconds)
  if (nowMs < drain.askedMs + patience)
    return wait(answer === 'none' ? nowMs + checkIntervalMs : drain.askedMs + patience)
  // A machine that does not answer stays awake for a while.
  return answer === 'none' && nowMs < drain.askedMs + idleMs ? wait(drain.askedMs + idleMs) : { do: 'ask' }
}

const retryMs = (seconds: number): number => Math.min(Math.max(seconds * secondMs, retryBoundsMs[0]), retryBoundsMs[1])

/** Since then a prompt may have arrived without waking the machine, ms since 1970. */
export const mayBeMissedSince = ({ drain }: Pick<InstanceRecord, 'drain'>): number => (drain?.askedMs ?? 0) - skewMs
